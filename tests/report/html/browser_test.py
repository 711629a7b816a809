"""The pages of write_sample_pages in headless Chromium, used with clicks and keys.

Run by browser-test. NPUNET_PAGES is the folder of the pages. With NPUNET_SCREENSHOTS, a folder,
pictures of all pages are left there, wide, narrow and dark. With NPUNET_TIMES=1, it is printed how
long large pages take to open and to sort.
"""

import json
import os
import pathlib
import time
import unittest
from decimal import Decimal

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

PAGES = pathlib.Path(os.environ["NPUNET_PAGES"])
SMALL = ["numbers", "hostile", "comparison", "timeline", "hostile-timeline",
         "side-by-side"]
NAMES = SMALL + ["large", "large-comparison", "large-timeline"]


def new_driver():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    # The sandbox cannot be had as root or in a container; the pages are our own.
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1280,900", "--hide-scrollbars", "--lang=en"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = new_driver()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def setUp(self):
        self.emulate()

    def emulate(self, width=1280, dark=False, media="", scripts=True):
        command = self.driver.execute_cdp_cmd
        command("Emulation.setDeviceMetricsOverride",
                {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        command("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})
        command("Emulation.setScriptExecutionDisabled", {"value": not scripts})

    def open(self, name):
        self.driver.get((PAGES / (name + ".html")).as_uri())

    def run_script(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def table(self, name):
        return self.driver.find_element(By.ID, name)

    def head(self, table, name):
        """The head of a column, by its name with the unit."""
        for head in self.table(table).find_elements(By.CSS_SELECTOR, "thead th"):
            if head.text.split("\u00a0")[0].replace("\n", " ").strip() == name:
                return head
        self.fail(f"no column {name}")

    def cells(self, table, number):
        """The texts of a column, as the page has them."""
        return self.run_script(
            "return [...document.querySelectorAll(`#${arguments[0]} tbody tr`)]"
            ".map((row) => row.children[arguments[1]].textContent)", table, number)

    def status(self, table):
        return self.table(table).find_element(By.CSS_SELECTOR, "[role=status]").get_attribute(
            "textContent")


class Harmless(PageTest):
    """Whatever inputs are called, the page stays as it was meant and asks nobody."""

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
        number = heads.index("end (ns)")
        values = data[number]["cells"].split(" ")
        self.assertEqual(len(values), 20000)
        self.head("collectives-table", "end (ns)").find_element(By.TAG_NAME, "button").click()
        expected = sorted(values, key=Decimal, reverse=True)[:50]
        self.assertEqual(self.cells("collectives-table", number), expected)


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
            for word in ["layer", "17", "micro-batch"]:
                self.assertIn(word, row.text)
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
        seen = self.cells("links-table", 3)
        while self.button("links-table", "Next").is_enabled():
            self.button("links-table", "Next").click()
            seen += self.cells("links-table", 3)
        self.assertEqual(len(seen), 4096)
        self.assertEqual(seen, busy)
        # Sorting leads back to the first rows.
        self.head("links-table", "busy (ns)").find_element(By.TAG_NAME, "button").click()
        self.assertEqual(self.cells("links-table", 3),
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


CONTRAST = """
const channel = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map((text) => channel(Number(text) / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const background = (node) => {
    for (; node; node = node.parentElement) {
        const colour = getComputedStyle(node).backgroundColor;
        if (colour !== 'rgba(0, 0, 0, 0)') { return colour; }
    }
    return 'rgb(255, 255, 255)';
};
let least = [100, ''];
const selector = 'h1, h2, p, dt, dd, a, caption, thead button, .unit, .arrow, td, figcaption, text';
for (const node of document.querySelectorAll(selector)) {
    const style = getComputedStyle(node);
    const front = luminance(node.tagName === 'text' ? style.fill : style.color);
    const back = luminance(background(node));
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < least[0]) { least = [ratio, node.tagName + '.' + node.className]; }
}
return least;
"""

OVERLAPS = """
const found = [];
for (const drawing of document.querySelectorAll('.drawing svg')) {
    const frame = drawing.getBoundingClientRect();
    const boxes = [...drawing.querySelectorAll('text')].map((text) =>
        [text.textContent, text.getBoundingClientRect()]);
    boxes.forEach(([text, box], i) => {
        if (box.left < frame.left - 0.5 || box.right > frame.right + 0.5 ||
            box.top < frame.top - 0.5 || box.bottom > frame.bottom + 0.5) {
            found.push(text + ' is cut off');
        }
        for (const [other, there] of boxes.slice(i + 1)) {
            if (box.left < there.right && there.left < box.right &&
                box.top + 2 < there.bottom && there.top + 2 < box.bottom) {
                found.push(text + ' lies on ' + other);
            }
        }
    });
}
return found;
"""


class Charting(PageTest):
    """The chart of the timeline. The step of "timeline" lasts 2600 ns, on ranks 0 to 3."""

    def chart(self, name="timeline"):
        self.open(name)
        canvas = self.driver.find_element(By.CSS_SELECTOR, ".chart canvas")
        self.run_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        return canvas

    def seen(self):
        return self.driver.find_element(By.CSS_SELECTOR, ".chart [role=status]").text

    def tip(self, kind="chart"):
        tip = self.driver.find_element(By.CSS_SELECTOR, f".{kind} .chart-tip")
        return tip.text if tip.is_displayed() else ""

    def button(self, text):
        return self.driver.find_element(By.XPATH,
                                        f"//div[@class='chart']//button[text()='{text}']")

    def at(self, canvas, time, row, rows=4, length=2600):
        """Offsets from the middle of the canvas to a time (ns) and a place in the rows."""
        box = self.run_script("const c = arguments[0]; return [c.clientWidth, c.clientHeight]",
                              canvas)
        x = 76 + (box[0] - 76 - 14) * time / length
        y = 8 + (box[1] - 8 - 44) * row / rows
        return int(x - box[0] / 2), int(y - box[1] / 2)

    def hover(self, canvas, time, row, **others):
        x, y = self.at(canvas, time, row, **others)
        webdriver.ActionChains(self.driver).move_to_element_with_offset(canvas, x, y).perform()

    def colours(self, canvas):
        """How many different colours the canvas has."""
        return self.run_script(
            "const c = arguments[0];"
            "const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
            "return new Set(new Uint32Array(data.buffer)).size", canvas)

    def test_is_drawn(self):
        for name in ["timeline", "hostile-timeline", "large-timeline"]:
            self.assertGreater(self.colours(self.chart(name)), 5, name)

    def test_shows_all_at_first(self):
        self.chart()
        self.assertEqual(self.seen(), "0 us to 2.6 us, ranks 0 to 3")

    def test_zooms_by_clicks(self):
        self.chart()
        self.button("Zoom in").click()
        self.assertEqual(self.seen(), "0.65 us to 1.95 us, ranks 0 to 3")
        self.button("Later").click()
        self.assertEqual(self.seen(), "0.975 us to 2.275 us, ranks 0 to 3")
        self.button("Fewer rows").click()
        self.assertEqual(self.seen(), "0.975 us to 2.275 us, ranks 1 to 2")
        self.button("Zoom out").click()
        self.assertEqual(self.seen(), "0 us to 2.6 us, ranks 1 to 2")
        self.button("All").click()
        self.assertEqual(self.seen(), "0 us to 2.6 us, ranks 0 to 3")

    def test_goes_by_keyboard(self):
        self.chart()
        self.button("All").click()
        keys = webdriver.ActionChains(self.driver)
        keys.send_keys(Keys.TAB).perform()
        self.assertEqual(self.driver.switch_to.active_element.tag_name, "canvas")
        outline = self.run_script("return getComputedStyle(document.activeElement).outlineStyle")
        self.assertEqual(outline, "solid")
        for key, seen in [("+", "0.65 us to 1.95 us, ranks 0 to 3"),
                          (Keys.ARROW_LEFT, "0.52 us to 1.82 us, ranks 0 to 3"),
                          ("f", "0.52 us to 1.82 us, ranks 1 to 2"),
                          (Keys.ARROW_DOWN, "0.52 us to 1.82 us, ranks 1 to 3"),
                          ("m", "0.52 us to 1.82 us, ranks 0 to 3"),
                          (Keys.HOME, "0 us to 2.6 us, ranks 0 to 3")]:
            webdriver.ActionChains(self.driver).send_keys(key).perform()
            self.assertEqual(self.seen(), seen, key)

    def test_is_dragged(self):
        canvas = self.chart()
        self.button("Zoom in").click()
        x, y = self.at(canvas, 1300, 2)
        wide = self.run_script("return arguments[0].clientWidth", canvas) - 90
        webdriver.ActionChains(self.driver).move_to_element_with_offset(canvas, x, y) \
            .click_and_hold().move_by_offset(wide // 4, 0).release().perform()
        start = float(self.seen().split(" ")[0])
        self.assertAlmostEqual(start, 0.325, delta=0.005)

    def test_wheel_zooms_what_was_clicked(self):
        canvas = self.chart()
        origin = webdriver.common.actions.wheel_input.ScrollOrigin.from_element(canvas)
        webdriver.ActionChains(self.driver).scroll_from_origin(origin, 0, 1).perform()
        self.assertEqual(self.seen(), "0 us to 2.6 us, ranks 0 to 3")
        canvas.click()
        webdriver.ActionChains(self.driver).scroll_from_origin(origin, 0, -100).perform()
        start, end = [float(part.split(" ")[0]) for part in self.seen().split(" to ")[:2]]
        self.assertAlmostEqual(end - start, 0.8 * 2.6, delta=0.01)

    def test_tells_what_is_under_the_pointer(self):
        canvas = self.chart()
        self.hover(canvas, 30, 0.3)
        self.assertEqual(self.tip().split("\n")[:2],
                         ["mb0_layer0_mlp_forward", "rank 0, forward, micro-batch 0"])
        self.assertIn("0 to 60 ns, 60 ns", self.tip())
        self.hover(canvas, 72, 0.8)
        self.assertIn("rank 0, TP", self.tip())
        self.assertIn("1048576 bytes", self.tip())
        self.hover(canvas, 1000, 0.3)
        self.assertEqual(self.tip(), "")

    def test_large_runs_are_cells(self):
        canvas = self.chart("large-timeline")
        self.assertIn("ranks 0 to 1023", self.seen())
        for _ in range(10):
            self.button("Fewer rows").click()
        self.assertIn("ranks 511 to 512", self.seen())
        # Rank 512 begins with a forward pass: the first replica of four begins there.
        for _ in range(5):
            webdriver.ActionChains(self.driver).click(canvas).send_keys(Keys.ARROW_DOWN).perform()
        self.assertIn("ranks 512 to ", self.seen())
        self.hover(canvas, 1, 0.05, rows=1, length=2600)
        self.assertRegex(self.tip(), r"^rank 512: mostly forward, busy \d+ % of 0 us to ")

    def test_hostile_names_are_text(self):
        canvas = self.chart("hostile-timeline")
        self.hover(canvas, 0.5, 0.3, rows=1, length=14)
        self.assertIn("</script><script>window.broken = 1</script>", self.tip())
        self.assertIsNone(self.run_script("return window.broken ?? null"))

    def test_two_runs_lie_on_one_axis(self):
        canvas = self.chart("side-by-side")
        self.assertIn("ranks step (1) 0 to step (2) 3", self.seen())
        length = self.run_script(
            "return JSON.parse(document.querySelector('.chart script').textContent).length_ps"
        ) / 1000
        self.hover(canvas, 30, 4.3, rows=8, length=length)
        self.assertIn("rank step (2) 0, forward", self.tip())

    def test_map_follows_its_slider(self):
        self.open("timeline")
        status = self.driver.find_element(By.CSS_SELECTOR, ".link-map [role=status]")
        self.assertTrue(status.text.startswith("whole run; busiest: "), status.text)
        slider = self.driver.find_element(By.CSS_SELECTOR, ".link-map input[type=range]")
        whole = self.driver.find_element(By.CSS_SELECTOR, ".link-map input[type=checkbox]")
        canvas = self.driver.find_element(By.CSS_SELECTOR, ".link-map canvas")
        pixels = "return arguments[0].toDataURL()"
        before = self.run_script(pixels, canvas)
        slider.send_keys(Keys.ARROW_RIGHT)
        self.assertFalse(whole.is_selected())
        self.assertIn("41 to 82 ns; busiest: ", status.text)
        self.assertEqual(slider.get_attribute("aria-valuetext"), "41 to 82 ns")
        self.assertNotEqual(self.run_script(pixels, canvas), before)
        slider.click()
        self.assertIn("busiest", status.text)
        self.assertNotIn("41 to 82", status.text)
        whole.click()
        self.assertTrue(status.text.startswith("whole run"))
        self.assertEqual(self.run_script(pixels, canvas), before)

    def test_map_tells_what_is_under_the_pointer(self):
        self.open("timeline")
        canvas = self.driver.find_element(By.CSS_SELECTOR, ".link-map canvas")
        self.run_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        # Two columns, 110 pixels apart: the upper link from npu0 to npu1 lies above the middle.
        webdriver.ActionChains(self.driver).move_to_element_with_offset(canvas, 0, -52).perform()
        self.assertRegex(self.tip("link-map"), r"^npu0 -> npu1, \d+ %$")


class Looks(PageTest):
    def test_nothing_is_wider_than_the_window(self):
        # 320 pixels are a window of 1280 at a zoom of 400 %.
        for width in [1280, 640, 320]:
            self.emulate(width=width)
            for name in SMALL:
                self.open(name)
                self.assertLessEqual(
                    self.run_script("return document.documentElement.scrollWidth"), width, name)

    def test_labels_lie_apart(self):
        for width in [1280, 400]:
            self.emulate(width=width)
            for name in SMALL:
                self.open(name)
                self.assertEqual(self.run_script(OVERLAPS), [], f"{name} at {width}")

    def test_texts_are_easily_read(self):
        # WCAG 2.1, 1.4.3: a contrast of 4.5.
        for dark in [False, True]:
            self.emulate(dark=dark)
            for name in ["hostile", "comparison"]:
                self.open(name)
                self.assertGreaterEqual(self.run_script(CONTRAST), [4.5], f"dark: {dark}")

    def test_headings_and_landmarks(self):
        for name in SMALL:
            self.open(name)
            levels = self.run_script("return [...document.querySelectorAll('h1, h2, h3')]"
                                     ".map((heading) => Number(heading.tagName[1]))")
            self.assertEqual(levels[0], 1)
            for one, following in zip(levels, levels[1:]):
                self.assertLessEqual(following, one + 1)
            identities = self.run_script(
                "return [...document.querySelectorAll('[id]')].map((node) => node.id)")
            self.assertEqual(len(identities), len(set(identities)))
            self.assertTrue(self.driver.find_element(By.TAG_NAME, "main"))

    def test_contents_lead_to_their_sections(self):
        self.open("comparison")
        for link in self.driver.find_elements(By.CSS_SELECTOR, "nav a"):
            link.click()
            target = link.get_attribute("href").split("#")[1]
            top = self.run_script(
                "return document.getElementById(arguments[0]).getBoundingClientRect().top", target)
            self.assertLess(top, 900)

    def test_nothing_is_hidden_on_paper(self):
        self.emulate(media="print")
        self.open("comparison")
        for table in self.driver.find_elements(By.CSS_SELECTOR, ".scroll"):
            self.assertEqual(self.run_script(
                "return getComputedStyle(arguments[0]).overflow", table), "visible")
        self.assertFalse(self.driver.find_element(By.CSS_SELECTOR, ".tools").is_displayed())


@unittest.skipUnless(os.environ.get("NPUNET_TIMES"), "NPUNET_TIMES is not set")
class Times(PageTest):
    def test_print_of_the_chart(self):
        if not os.environ.get("NPUNET_TIMES"):
            self.skipTest("NPUNET_TIMES=1 prints how long large charts take")
        started = time.monotonic()
        self.open("large-timeline")
        opened = time.monotonic() - started
        button = self.driver.find_element(By.XPATH, "//div[@class='chart']//button[text()='All']")
        drawn = self.run_script(
            "const begin = performance.now();"
            "for (let i = 0; i < 20; ++i) { arguments[0].click(); }"
            "return (performance.now() - begin) / 20", button)
        size = (PAGES / "large-timeline.html").stat().st_size
        print(f"large-timeline: {size / 1e6:.1f} MB, open {opened:.2f} s, draw {drawn:.0f} ms")

    def test_print(self):
        for name in ["large", "large-comparison"]:
            size = (PAGES / (name + ".html")).stat().st_size
            begin = time.monotonic()
            self.open(name)
            print(f"\n{name}: {size / 1e6:.1f} MB, opens in {time.monotonic() - begin:.2f} s")
            for table in self.driver.find_elements(By.CSS_SELECTOR, ".table[data-rows]"):
                rows = int(table.get_attribute("data-rows"))
                if rows < 1000:
                    continue
                took = []
                for button in table.find_elements(By.CSS_SELECTOR, "thead button"):
                    took.append(self.run_script(
                        "const begin = performance.now(); arguments[0].click();"
                        "document.body.getBoundingClientRect();"
                        "return performance.now() - begin", button))
                box = table.find_element(By.CSS_SELECTOR, "input")
                filtered = self.run_script(
                    "const begin = performance.now(); arguments[0].value = 'layer 17';"
                    "arguments[0].dispatchEvent(new Event('input'));"
                    "document.body.getBoundingClientRect();"
                    "return performance.now() - begin", box)
                longest = self.run_script(
                    "arguments[0].value = ''; arguments[0].dispatchEvent(new Event('input'));"
                    "const choice = arguments[1]; choice.selectedIndex = choice.length - 1;"
                    "const begin = performance.now(); choice.dispatchEvent(new Event('change'));"
                    "document.body.getBoundingClientRect();"
                    "return [performance.now() - begin, choice.value]",
                    box, table.find_element(By.CSS_SELECTOR, "select"))
                print(f"  {table.get_attribute('id')}, {rows} rows: a column sorts in "
                      f"{min(took):.0f} to {max(took):.0f} ms, a filter takes {filtered:.0f} ms, "
                      f"{longest[1]} rows are shown in {longest[0]:.0f} ms")


@unittest.skipUnless(os.environ.get("NPUNET_SCREENSHOTS"), "NPUNET_SCREENSHOTS is not set")
class Screenshots(PageTest):
    def test_take(self):
        folder = pathlib.Path(os.environ["NPUNET_SCREENSHOTS"])
        folder.mkdir(parents=True, exist_ok=True)
        for kind, look in {"wide": {}, "narrow": {"width": 400}, "dark": {"dark": True},
                           "paper": {"media": "print"}}.items():
            for name in NAMES:
                self.emulate(**look)
                self.open(name)
                height = min(6000, self.run_script("return document.body.scrollHeight + 40"))
                self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                    "width": look.get("width", 1280), "height": height, "deviceScaleFactor": 1,
                    "mobile": False})
                self.driver.save_screenshot(str(folder / f"{name}-{kind}.png"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
