//<![CDATA[
"use strict";

// Draws the matrix of the links from the JSON beside it: a row for each link or for several neighbours of
// a kind, time to the right, in the colour of how much of the time it was sending.
(() => {
    const {element, unitOf, fromTo, Sheet} = picture;
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const value = new Map([...digits].map((digit, i) => [digit, i]));
    const margin = {left: 232, right: 14, top: 8, bottom: 44};
    const idle = "#e4e4e4";
    const ink = "#30343a";
    const gap = 10;
    const [leastBand, leastRow, mostRow] = [34, 1.2, 16];
    const font = "12px system-ui, 'DejaVu Sans', sans-serif";

    const decode = (text) => Array.from(text, (digit) => value.get(digit));

    class LinkMatrix {
        constructor(root) {
            this.data = JSON.parse(root.querySelector("script").textContent);
            const rows = this.data.kinds.reduce((sum, kind) => sum + kind.rows.length, 0);
            const high = Math.min(mostRow, Math.max(leastRow, 560 / rows));
            let top = margin.top;
            this.bands = this.data.kinds.map((kind) => {
                const band = {...kind, top, high: Math.max(leastBand, high * kind.rows.length),
                    rows: kind.rows.map((row) => ({...row, mean: decode(row.mean),
                        most: row.most ? decode(row.most) : null}))};
                top += band.high + gap;
                return band;
            });
            this.floor = top - gap;
            root.querySelector(".without-script").remove();
            this.sheet = new Sheet(root);
            this.canvas = this.sheet.canvas;
            this.canvas.setAttribute("role", "img");
            this.canvas.setAttribute("aria-label", "Matrix of the links over time: "
                + this.bands.map((band) => `${band.links} of ${band.name}`).join(", "));
            this.canvas.addEventListener("pointermove", (event) => this.point(event));
            new ResizeObserver(() => this.draw()).observe(this.canvas);
        }

        get width() { return this.canvas.clientWidth - margin.left - margin.right; }

        draw() {
            if (this.sheet.width === 0) {
                return;
            }
            const pen = this.sheet.clear(this.floor + margin.bottom);
            pen.font = font;
            for (const band of this.bands) {
                this.drawCells(pen, band);
                this.drawNames(pen, band);
            }
            this.drawAxis(pen);
        }

        /** A picture of a pixel a cell, enlarged. */
        drawCells(pen, band) {
            const {bins, bin_ps: bin, length_ps: length, scale} = this.data;
            const cells = element("canvas");
            cells.width = bins;
            cells.height = band.rows.length;
            const pixels = cells.getContext("2d");
            band.rows.forEach((row, y) => row.mean.forEach((share, x) => {
                pixels.fillStyle = share === 0 ? idle : scale[share];
                pixels.fillRect(x, y, 1, 1);
            }));
            pen.save();
            pen.beginPath();
            pen.rect(margin.left, band.top, this.width, band.high);
            pen.clip();
            pen.imageSmoothingEnabled = false;
            pen.drawImage(cells, margin.left, band.top, this.width * bin * bins / length, band.high);
            pen.restore();
        }

        drawNames(pen, band) {
            const count = `${band.links} ${band.links === 1 ? "link" : "links"}`;
            const middle = band.top + band.high / 2;
            pen.fillStyle = ink;
            pen.textAlign = "left";
            pen.font = `bold ${font}`;
            pen.fillText(band.name, 8, middle - 2, margin.left - 56);
            pen.font = font;
            pen.fillText(count, 8, middle + 13);
            pen.textAlign = "right";
            pen.fillText("0", margin.left - 6, band.top + 10);
            if (band.links > 1) {
                pen.fillText(`${band.links - 1}`, margin.left - 6, band.top + band.high - 1);
            }
        }

        drawAxis(pen) {
            const [name, size] = unitOf(this.data.length_ps);
            const length = this.data.length_ps / size;
            const rough = length / Math.max(2, this.width / 110);
            const power = 10 ** Math.floor(Math.log10(rough));
            const step = [1, 2, 5, 10].map((digit) => digit * power).find((each) => each >= rough);
            const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
            pen.textAlign = "center";
            for (let i = 0; i * step <= length; ++i) {
                const x = margin.left + i * step / length * this.width;
                pen.fillRect(x - 0.5, this.floor, 1, 4);
                pen.fillText((i * step).toFixed(decimals), x, this.floor + 17);
            }
            pen.fillText(`time (${name})`, margin.left + this.width / 2, this.floor + 35);
        }

        /** What there is to say of a place. */
        textAt(x, y) {
            const {bins, bin_ps: bin, length_ps: length} = this.data;
            const band = this.bands.find((each) => y >= each.top && y < each.top + each.high);
            const at = Math.floor((x - margin.left) / this.width * length / bin);
            if (!band || x < margin.left || at < 0 || at >= bins) {
                return "";
            }
            const number = Math.floor((y - band.top) / band.high * band.rows.length);
            const row = band.rows[number];
            const first = number * band.per_row;
            const last = Math.min(band.links, first + band.per_row) - 1;
            const percent = (share) => `${Math.round(share / 63 * 100)} %`;
            const lines = [first === last ? `${band.name}, link ${first}: ${row.from} -> ${row.to}`
                : `${band.name}, links ${first} to ${last} of ${band.links}`,
            `${fromTo(at * bin, Math.min(length, (at + 1) * bin), length)}: `
                + `sending ${percent(row.mean[at])} of the time`
                + (row.most ? ` in the mean, ${percent(row.most[at])} the busiest` : "")];
            return lines.join("\n");
        }

        point(event) {
            this.sheet.showTip(this.textAt(event.offsetX, event.offsetY), event);
        }
    }

    for (const root of document.querySelectorAll(".link-matrix")) {
        new LinkMatrix(root);
    }
})();
//]]>
