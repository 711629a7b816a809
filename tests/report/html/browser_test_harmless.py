"""What inputs are called does nothing to a page."""

import json

from selenium.webdriver.common.by import By

from browser_page import NAMES, PAGES, PageTest


class Harmless(PageTest):
    """Whatever inputs are called, the page stays as it was meant and sends no request."""

    def test_hostile_names_are_text(self):
        for name in ["hostile", "comparison"]:
            self.open(name)
            self.assertIsNone(self.run_script("return window.broken ?? null"), name)
            self.assertEqual(self.run_script("return document.images.length"), 0)
            self.assertEqual(self.run_script("return document.querySelectorAll('h1').length"), 1)
            self.assertNotIn("taken over", self.driver.find_element(By.TAG_NAME, "h1").text)
        names = self.cells("delays-table", 0)
        self.assertIn("</script><script>window.broken = 1</script>", names)
        self.assertIn("]]> <![CDATA[", names)

    def test_sorting_hostile_names_leaves_them_text(self):
        self.open("hostile")
        for head in self.table("collectives-table").find_elements(By.CSS_SELECTOR, "thead button"):
            head.click()
        self.assertIsNone(self.run_script("return window.broken ?? null"))
        self.assertIn("</td></tr></table></main><h1>taken over</h1>",
                      self.cells("collectives-table", 0))

    def test_nothing_is_fetched(self):
        for name in NAMES:
            self.driver.get_log("performance")
            self.open(name)
            addresses = []
            for entry in self.driver.get_log("performance"):
                message = json.loads(entry["message"])["message"]
                if message["method"] == "Network.requestWillBeSent":
                    addresses.append(message["params"]["request"]["url"])
            self.assertEqual(addresses, [(PAGES / (name + ".html")).as_uri()])

    def test_nothing_is_complained_about(self):
        for name in NAMES:
            self.driver.get_log("browser")
            self.open(name)
            self.assertEqual(self.driver.get_log("browser"), [], name)

    def test_the_policy_lets_nothing_else_run(self):
        self.open("numbers")
        self.run_script(
            "const script = document.createElement('script');"
            "script.textContent = 'window.broken = 1'; document.body.append(script);"
            "const button = document.createElement('p');"
            "button.setAttribute('onclick', 'window.broken = 2'); document.body.append(button);"
            "button.click();")
        self.assertIsNone(self.run_script("return window.broken ?? null"))
        refused = self.driver.execute_async_script(
            "const done = arguments[0];"
            "fetch('data:text/plain,x').then(() => done('fetched'), () => done('refused'))")
        self.assertEqual(refused, "refused")
        self.driver.get_log("browser")
