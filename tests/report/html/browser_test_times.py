"""Prints how long large pages take to open, to sort and to draw, with NPUNET_TIMES=1."""

import os
import time
import unittest

from selenium.webdriver.common.by import By

from browser_page import PAGES, PageTest


@unittest.skipUnless(os.environ.get("NPUNET_TIMES"), "NPUNET_TIMES is not set")
class Times(PageTest):
    def test_print_of_the_chart(self):
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
