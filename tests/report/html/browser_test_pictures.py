"""Leaves pictures of all pages, wide, narrow, dark and on paper, in the folder NPUNET_SCREENSHOTS."""

import os
import pathlib
import unittest

from browser_page import NAMES, PageTest


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
