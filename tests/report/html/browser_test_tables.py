"""Tables are sorted, searched and leafed through with clicks and keys."""

import json
from decimal import Decimal

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser_page import PageTest


class Sorting(PageTest):
    def test_by_click_exactly(self):
        # Doubles cannot tell ...775.806, ...775.8065 and ...775.807 apart.
        self.open("numbers")
        largest_first = ["9223372036854775.807", "9223372036854775.8065", "9223372036854775.806",
                         "0", "-12345.25", "-12345.5", "-", "-"]
        head = self.head("numbers-table", "exact (ns)")
        head.find_element(By.TAG_NAME, "button").click()
        self.assertEqual(head.get_attribute("aria-sort"), "descending")
        self.assertEqual(self.cells("numbers-table", 1), largest_first)
        self.assertIn("sorted by exact (ns), descending", self.status("numbers-table"))
        head.find_element(By.TAG_NAME, "button").click()
        self.assertEqual(head.get_attribute("aria-sort"), "ascending")
        self.assertEqual(self.cells("numbers-table", 1), largest_first[5::-1] + ["-", "-"])

    def test_by_doubles_with_exponents(self):
        self.open("numbers")
        self.head("numbers-table", "real").find_element(By.TAG_NAME, "button").click()
        self.assertEqual(self.cells("numbers-table", 0),
                         ["a", "c", "e", "f", "b", "d", "a9", "a10"])

    def test_by_texts_as_people_count(self):
        self.open("numbers")
        head = self.head("numbers-table", "name")
        head.find_element(By.TAG_NAME, "button").click()
        self.assertEqual(head.get_attribute("aria-sort"), "ascending")
        self.assertEqual(self.cells("numbers-table", 0),
                         ["a", "a9", "a10", "b", "c", "d", "e", "f"])

    def test_by_keyboard(self):
        self.open("numbers")
        self.driver.find_element(By.CSS_SELECTOR, "#numbers-table input").click()
        # From the filter over the scrolled region to the first head, and to the second one.
        focused = None
        for _ in range(4):
            webdriver.ActionChains(self.driver).send_keys(Keys.TAB).perform()
            focused = self.driver.switch_to.active_element
            if focused.tag_name == "button" and focused.text.startswith("exact"):
                break
        self.assertTrue(focused.text.startswith("exact"), focused.text)
        outline = self.run_script(
            "return getComputedStyle(document.activeElement).outlineStyle")
        self.assertEqual(outline, "solid")
        head = self.head("numbers-table", "exact (ns)")
        webdriver.ActionChains(self.driver).send_keys(Keys.ENTER).perform()
        self.assertEqual(head.get_attribute("aria-sort"), "descending")
        webdriver.ActionChains(self.driver).send_keys(Keys.SPACE).perform()
        self.assertEqual(head.get_attribute("aria-sort"), "ascending")
        self.assertEqual(self.run_script("return document.activeElement.parentElement"), head)

    def test_of_all_rows_not_of_those_shown(self):
        self.open("large")
        data = json.loads(self.run_script(
            "return document.querySelector('#collectives-table script').textContent"))
        heads = [head.text.split("\u00a0")[0].replace("\n", " ").strip() for head in
                 self.table("collectives-table").find_elements(By.CSS_SELECTOR, "thead th")]
        number = heads.index("end")
        values = data[number]["cells"].split(" ")
        self.assertEqual(len(values), 20000)
        self.head("collectives-table", "end").find_element(By.TAG_NAME, "button").click()
        expected = sorted(values, key=Decimal, reverse=True)[:50]
        self.assertEqual(self.exact_cells("collectives-table", number), expected)


class Finding(PageTest):
    def filter(self, table, text):
        box = self.table(table).find_element(By.CSS_SELECTOR, "input")
        box.clear()
        box.send_keys(text)

    def test_rows_by_words(self):
        self.open("large")
        self.filter("collectives-table", "LAYER 17 micro-batch")
        rows = self.driver.find_elements(By.CSS_SELECTOR, "#collectives-table tbody tr")
        self.assertEqual(len(rows), 50)
        for row in rows:
            # Numbers are found as they are exactly.
            exact = self.run_script(
                "return [...arguments[0].cells].map((cell) => cell.title).join(' ')", row)
            for word in ["layer", "17", "micro-batch"]:
                self.assertIn(word, f"{row.text} {exact}")
        self.assertRegex(self.status("collectives-table"),
                         r"^Rows 1 to 50 of [0-9]+ matching rows of 20000$")

    def test_rows_by_a_number(self):
        self.open("numbers")
        self.filter("numbers-table", "-12345.5")
        self.assertEqual(self.cells("numbers-table", 0), ["a9"])
        self.assertEqual(self.status("numbers-table"), "1 matching rows of 8")
        self.filter("numbers-table", "nothing has this")
        self.assertEqual(self.cells("numbers-table", 0), [])
        self.filter("numbers-table", Keys.BACKSPACE)
        self.run_script("document.querySelector('#numbers-table input').value = '';"
                        "document.querySelector('#numbers-table input')"
                        ".dispatchEvent(new Event('input'))")
        self.assertEqual(len(self.cells("numbers-table", 0)), 8)

    def test_stays_while_sorting(self):
        self.open("numbers")
        self.filter("numbers-table", "a")
        self.head("numbers-table", "exact (ns)").find_element(By.TAG_NAME, "button").click()
        self.assertEqual(self.cells("numbers-table", 0), ["a", "a9", "a10"])


class Leafing(PageTest):
    def button(self, table, text):
        return self.table(table).find_element(By.XPATH, f".//button[text()='{text}']")

    def test_forth_and_back(self):
        self.open("large")
        self.assertEqual(self.status("collectives-table"), "Rows 1 to 50 of 20000 rows")
        self.assertFalse(self.button("collectives-table", "Previous").is_enabled())
        self.button("collectives-table", "Next").click()
        self.assertEqual(self.cells("collectives-table", 1), [str(i) for i in range(50, 100)])
        self.assertEqual(self.status("collectives-table"), "Rows 51 to 100 of 20000 rows")
        self.button("collectives-table", "Previous").click()
        self.assertEqual(self.cells("collectives-table", 1), [str(i) for i in range(50)])

    def test_through_all_rows(self):
        self.open("large")
        data = json.loads(self.run_script(
            "return document.querySelector('#links-table script').textContent"))
        busy = data[3]["cells"].split(" ")
        size = Select(self.table("links-table").find_element(By.TAG_NAME, "select"))
        size.select_by_visible_text("2000")
        seen = self.exact_cells("links-table", 3)
        while self.button("links-table", "Next").is_enabled():
            self.button("links-table", "Next").click()
            seen += self.exact_cells("links-table", 3)
        self.assertEqual(len(seen), 4096)
        self.assertEqual(seen, busy)
        # Sorting leads back to the first rows.
        self.head("links-table", "busy").find_element(By.TAG_NAME, "button").click()
        self.assertEqual(self.exact_cells("links-table", 3),
                         sorted(busy, key=Decimal, reverse=True)[:2000])

    def test_all_of_a_thousand_with_keys(self):
        self.open("large")
        choice = self.table("npus-table").find_element(By.TAG_NAME, "select")
        choice.send_keys("all")
        self.assertEqual(self.cells("npus-table", 0), [str(i) for i in range(1024)])
        self.assertEqual(self.status("npus-table"), "1024 rows")
        self.assertFalse(self.button("npus-table", "Next").is_enabled())

    def test_is_not_offered_for_few_rows(self):
        self.open("numbers")
        self.assertEqual(self.table("numbers-table").find_elements(By.TAG_NAME, "select"), [])
        self.assertEqual(self.table("numbers-table").find_elements(
            By.CSS_SELECTOR, ".tools button"), [])

    def test_first_rows_without_scripts(self):
        self.emulate(scripts=False)
        self.open("large")
        rows = self.driver.find_elements(By.CSS_SELECTOR, "#collectives-table tbody tr")
        self.assertEqual(len(rows), 50)
        told = self.driver.find_element(By.CSS_SELECTOR, "#collectives-table .without-script")
        self.assertTrue(told.is_displayed())
        self.emulate()
