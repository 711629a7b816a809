"""Pages can be read: in every width, in the dark, on paper."""

from selenium.webdriver.common.by import By

from browser_page import PageTest, SMALL

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
