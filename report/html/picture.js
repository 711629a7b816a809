//<![CDATA[
"use strict";

// What the chart of activities and the map of the links have in common: a canvas that is as sharp as the
// screen, and the text beside the pointer.
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

    return {element, paper, Sheet};
})();
//]]>
