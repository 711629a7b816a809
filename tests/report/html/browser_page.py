"""The pages of write_sample_pages in headless Chromium.

NPUNET_PAGES is the folder of the pages.
"""

import os
import pathlib
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

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

    def exact_cells(self, table, number):
        """The exact numbers of a column that shows times or bytes in units that fit."""
        return self.run_script(
            "return [...document.querySelectorAll(`#${arguments[0]} tbody tr`)]"
            ".map((row) => row.children[arguments[1]].title.split(' ')[0])", table, number)

    def status(self, table):
        return self.table(table).find_element(By.CSS_SELECTOR, "[role=status]").get_attribute(
            "textContent")
