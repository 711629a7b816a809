"""The chart of the timeline and the map of links under the pointer and the keyboard."""

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser_page import PageTest


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
        self.assertIn("1 MiB (1048576 bytes)", self.tip())
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

    def test_matrix_tells_what_is_under_the_pointer(self):
        self.open("timeline")
        canvas = self.driver.find_element(By.CSS_SELECTOR, ".link-matrix canvas")
        self.run_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        self.assertGreater(self.colours(canvas), 10)
        box = self.run_script("const c = arguments[0]; return [c.clientWidth, c.clientHeight]",
                              canvas)
        self.assertIn("of links", canvas.get_attribute("aria-label"))
        webdriver.ActionChains(self.driver).move_to_element_with_offset(
            canvas, 0, 12 - box[1] // 2).perform()
        self.assertRegex(self.tip("link-matrix"),
                         r"^links, link 0: npu0 -> npu1\n[\d.]+ to [\d.]+ us: sending \d+ % of the time$")
        webdriver.ActionChains(self.driver).move_to_element_with_offset(
            canvas, 20 - box[0] // 2, 0).perform()
        self.assertEqual(self.tip("link-matrix"), "")

    def test_large_networks_are_a_matrix_without_a_map(self):
        self.open("large-timeline")
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, ".link-map"), [])
        canvas = self.driver.find_element(By.CSS_SELECTOR, ".link-matrix canvas")
        self.run_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        webdriver.ActionChains(self.driver).move_to_element_with_offset(canvas, 0, 0).perform()
        self.assertRegex(self.tip("link-matrix"),
                         r"^links, links \d+ to \d+ of \d+\n.* % of the time in the mean, \d+ % the busiest$")
