//<![CDATA[
"use strict";

// What the chart of activities and the drawings of links have in common: a canvas that is as sharp as the
// screen, the text beside the pointer, and units that fit.
const picture = (() => {
    const paper = "#fafafa";

    const element = (name, text, className) => {
        const node = document.createElement(name);
        node.textContent = text || "";
        if (className) {
            node.className = className;
        }
        return node;
    };

    const units = [["ps", 1], ["ns", 1e3], ["us", 1e6], ["ms", 1e9], ["s", 1e12]];
    const byteUnits = ["bytes", "KiB", "MiB", "GiB", "TiB"];

    /** The unit of times of about that many picoseconds: its name and its length. */
    const unitOf = (span) => units.filter((unit) => span >= unit[1]).at(-1) || units[0];

    /** A time in the unit of a span, with as many decimals as tell neighbours in it apart. */
    const inUnit = (ps, span) => {
        const [name, size] = unitOf(span);
        const decimals = Math.max(0, Math.min(9, Math.ceil(3 - Math.log10(span / size))));
        return `${Number((ps / size).toFixed(decimals))} ${name}`;
    };

    /** "1.2 to 1.3 ms": two times in the unit of a span. */
    const fromTo = (from, to, span) => `${inUnit(from, span).split(" ")[0]} to ${inUnit(to, span)}`;

    /** "512 bytes", "1.5 MiB": four digits. */
    const inBytes = (bytes) => {
        const power = Math.min(byteUnits.length - 1,
            bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
        return `${Number((bytes / 1024 ** power).toPrecision(power === 0 ? 15 : 4))} `
            + byteUnits[power];
    };

    class Sheet {
        /** The last thing in `root`. */
        constructor(root) {
            this.canvas = element("canvas");
            this.tip = element("div", "", "chart-tip");
            this.tip.hidden = true;
            const frame = element("div", "", "chart-frame");
            frame.append(this.canvas, this.tip);
            root.append(frame);
            this.canvas.addEventListener("pointerleave", () => this.hideTip());
        }

        get width() { return this.canvas.clientWidth; }

        /** A pen for clean paper of that height, both in pixels of the page. */
        clear(height) {
            const ratio = window.devicePixelRatio || 1;
            this.canvas.style.height = `${height}px`;
            this.canvas.width = Math.round(this.width * ratio);
            this.canvas.height = Math.round(height * ratio);
            this.height = height;
            const pen = this.canvas.getContext("2d");
            pen.scale(ratio, ratio);
            pen.fillStyle = paper;
            pen.fillRect(0, 0, this.width, height);
            return pen;
        }

        hideTip() {
            this.tip.hidden = true;
        }

        /** Beside the pointer, within the sheet; no text: nothing. */
        showTip(text, event) {
            this.tip.hidden = text === "";
            if (text === "") {
                return;
            }
            this.tip.textContent = text;
            const right = Math.max(0,
                Math.min(event.offsetX + 14, this.width - this.tip.offsetWidth - 4));
            const below = event.offsetY + 18 + this.tip.offsetHeight < this.height
                ? event.offsetY + 18 : event.offsetY - this.tip.offsetHeight - 8;
            this.tip.style.transform = `translate(${right}px, ${below}px)`;
        }
    }

    return {element, paper, unitOf, inUnit, fromTo, inBytes, Sheet};
})();
//]]>
