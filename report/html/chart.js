//<![CDATA[
"use strict";

// Draws the chart of who did what when from the JSON beside it, and lets the reader zoom and move it by
// mouse and keyboard. Runs of up to some ten thousand intervals bring every one of them; of larger ones
// there is a grid of cells, each with what took most of its time.
(() => {
    const margin = {left: 76, right: 14, top: 8, bottom: 44};
    const {element, paper, unitOf, inUnit, fromTo, inBytes, Sheet} = picture;
    const ink = "#30343a";
    const rule = "#dcdfe4";
    const leastSpan = 10;
    const busySteps = 15;
    const bandPart = 0.58;
    const leastRow = 4;

    const numbers = (text) => (text === "" ? [] : text.split(" ").map(Number));

    /** "3A72-": three columns of activity A, busy 7 of 15; two of nothing. A byte for each. */
    const decodeCells = (text) => {
        const cells = [];
        for (const [, count, letter, busy] of text.matchAll(/(\d+)(?:-|([A-N])([1-9a-f]))/g)) {
            const cell = letter ? (letter.charCodeAt(0) - 65) * 16 + parseInt(busy, 16) : 0;
            for (let i = 0; i < Number(count); ++i) {
                cells.push(cell);
            }
        }
        return Uint8Array.from(cells);
    };

    const mixed = (colour, part) => [1, 3, 5].map((at) => Math.round(
        250 + part * (parseInt(colour.slice(at, at + 2), 16) - 250)));

    /** The intervals of every row. */
    const decodeIntervals = (data) => {
        const columns = {};
        for (const key of ["start", "length", "activity", "name", "batch", "bytes"]) {
            columns[key] = numbers(data[key]);
        }
        let next = 0;
        return numbers(data.counts).map((count) => {
            const row = [];
            let start = 0;
            for (let i = 0; i < count; ++i, ++next) {
                start += columns.start[next];
                row.push({start, end: start + columns.length[next],
                    activity: columns.activity[next], name: data.names[columns.name[next]],
                    batch: columns.batch[next], bytes: columns.bytes[next]});
            }
            return row;
        });
    };

    class Chart {
        constructor(root) {
            const data = JSON.parse(root.querySelector("script").textContent);
            this.root = root;
            this.length = data.length_ps;
            this.activities = data.activities;
            this.labels = data.rows;
            this.intervals = data.intervals ? decodeIntervals(data.intervals) : null;
            this.cells = data.cells ? data.cells.map((bands) => bands.map(decodeCells)) : null;
            this.makeShades();
            root.querySelector(".without-script").remove();
            this.makeTools();
            this.makeCanvas();
            this.reset();
            new ResizeObserver(() => this.draw()).observe(this.canvas);
        }

        /** The pixel of every cell: paler where it was idle in between. */
        makeShades() {
            this.shades = new Uint32Array(256);
            const bytes = new Uint8Array(this.shades.buffer);
            for (let cell = 0; cell < 256; ++cell) {
                const busy = cell & 15;
                const activity = this.activities[cell >> 4];
                const part = busy > 0 && activity ? 0.25 + 0.75 * busy / busySteps : 0;
                bytes.set([...mixed(activity ? activity.colour : paper, part), 255], 4 * cell);
            }
        }

        makeTools() {
            const tools = element("div", "", "tools");
            for (const [text, action] of [
                ["Zoom in", () => this.zoom(0.5)], ["Zoom out", () => this.zoom(2)],
                ["Earlier", () => this.move(-0.25, 0)], ["Later", () => this.move(0.25, 0)],
                ["Fewer rows", () => this.zoomRows(0.5)], ["More rows", () => this.zoomRows(2)],
                ["All", () => this.reset()]]) {
                const button = element("button", text);
                button.type = "button";
                button.addEventListener("click", action);
                tools.append(button);
            }
            this.status = element("p");
            this.status.setAttribute("role", "status");
            tools.append(this.status);
            this.root.append(tools);
        }

        makeCanvas() {
            this.sheet = new Sheet(this.root);
            this.canvas = this.sheet.canvas;
            this.canvas.tabIndex = 0;
            this.canvas.setAttribute("role", "application");
            this.canvas.setAttribute("aria-label", "Chart of activities over time. Arrow keys move, "
                + "plus and minus zoom, F and M show fewer and more rows, Home shows all.");
            this.height = Math.min(680, Math.max(150, this.labels.length * 34))
                + margin.top + margin.bottom;
            this.canvas.addEventListener("keydown", (event) => this.key(event));
            this.canvas.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
            this.canvas.addEventListener("pointerdown", (event) => this.grab(event));
            this.canvas.addEventListener("pointermove", (event) => this.point(event));
            this.canvas.addEventListener("pointerup", () => { this.held = null; });
            this.canvas.addEventListener("dblclick", (event) => this.zoom(0.25, this.timeAt(event)));
        }

        get width() { return this.canvas.clientWidth - margin.left - margin.right; }
        get tall() { return this.height - margin.top - margin.bottom; }
        get span() { return this.to - this.from; }

        reset() {
            this.from = 0;
            this.to = this.length;
            this.firstRow = 0;
            this.lastRow = this.labels.length;
            this.draw();
        }

        /** Makes the time that is seen `factor` times as long, around an instant. */
        zoom(factor, around = (this.from + this.to) / 2) {
            const span = Math.min(this.length,
                Math.max(Math.min(leastSpan, this.length), this.span * factor));
            const part = (around - this.from) / this.span;
            this.from = Math.max(0, Math.min(this.length - span, around - part * span));
            this.to = this.from + span;
            this.draw();
        }

        zoomRows(factor, around = (this.firstRow + this.lastRow) / 2) {
            const shown = this.lastRow - this.firstRow;
            const wanted = Math.min(this.labels.length, Math.max(1, shown * factor));
            const part = (around - this.firstRow) / shown;
            this.firstRow = Math.max(0,
                Math.min(this.labels.length - wanted, around - part * wanted));
            this.lastRow = this.firstRow + wanted;
            this.draw();
        }

        /** By parts of what is seen. */
        move(times, rows) {
            const span = this.span;
            this.from = Math.max(0, Math.min(this.length - span, this.from + times * span));
            this.to = this.from + span;
            const shown = this.lastRow - this.firstRow;
            this.firstRow = Math.max(0,
                Math.min(this.labels.length - shown, this.firstRow + rows * shown));
            this.lastRow = this.firstRow + shown;
            this.draw();
        }

        key(event) {
            const actions = {
                "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
                ArrowLeft: () => this.move(-0.1, 0), ArrowRight: () => this.move(0.1, 0),
                ArrowUp: () => this.move(0, -0.1), ArrowDown: () => this.move(0, 0.1),
                f: () => this.zoomRows(0.5), m: () => this.zoomRows(2),
                Home: () => this.reset()};
            const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
            if (action && !event.ctrlKey && !event.altKey && !event.metaKey) {
                event.preventDefault();
                action();
            }
        }

        /** The wheel zooms a chart that has been clicked; others it lets pass by. */
        wheel(event) {
            if (!event.ctrlKey && document.activeElement !== this.canvas) {
                return;
            }
            event.preventDefault();
            const factor = event.deltaY > 0 ? 1.25 : 0.8;
            if (event.shiftKey) {
                this.zoomRows(factor, this.rowAt(event));
            } else {
                this.zoom(factor, this.timeAt(event));
            }
        }

        grab(event) {
            this.held = {x: event.offsetX, y: event.offsetY};
            this.canvas.setPointerCapture(event.pointerId);
        }

        point(event) {
            if (this.held) {
                this.sheet.hideTip();
                const held = this.held;
                this.held = {x: event.offsetX, y: event.offsetY};
                this.move((held.x - event.offsetX) / this.width,
                    (held.y - event.offsetY) / this.tall);
                return;
            }
            this.sheet.showTip(this.textAt(this.timeAt(event), this.rowAt(event)), event);
        }

        timeAt(event) {
            return this.from + (event.offsetX - margin.left) / this.width * this.span;
        }

        rowAt(event) {
            return this.firstRow
                + (event.offsetY - margin.top) / this.tall * (this.lastRow - this.firstRow);
        }

        /** What there is to say of a place; the fraction of the row tells the band. */
        textAt(time, place) {
            const row = Math.floor(place);
            if (time < this.from || time > this.to || row < 0 || row >= this.labels.length) {
                return "";
            }
            const band = place - row < bandPart ? 0 : 1;
            if (this.intervals) {
                const slack = this.span / this.width;
                const found = this.intervals[row].filter(
                    (each) => this.activities[each.activity].band === band
                        && each.start <= time + slack && time - slack <= each.end).at(-1);
                return found ? this.describe(found, row) : "";
            }
            const columns = this.cells[row][band].length;
            const column = Math.min(columns - 1, Math.floor(time / this.length * columns));
            const cell = this.cells[row][band][column];
            const wide = this.length / columns;
            return cell !== 0
                ? `rank ${this.labels[row]}: mostly ${this.activities[cell >> 4].name}, `
                + `busy ${Math.round(100 * (cell & 15) / busySteps)} % of `
                + `${inUnit(column * wide, this.length)} to ${inUnit((column + 1) * wide, this.length)}`
                : "";
        }

        describe(interval, row) {
            const lines = [interval.name, `rank ${this.labels[row]}, `
                + this.activities[interval.activity].name
                + (interval.batch >= 0 ? `, micro-batch ${interval.batch}` : ""),
            `${fromTo(interval.start, interval.end, interval.end)}, `
                + inUnit(interval.end - interval.start, interval.end - interval.start)];
            if (unitOf(interval.end)[1] > 1e3) {
                lines.push(`exactly ${interval.start / 1000} to ${interval.end / 1000} ns`);
            }
            if (interval.bytes >= 0) {
                lines.push(inBytes(interval.bytes)
                    + (interval.bytes < 1024 ? "" : ` (${interval.bytes} bytes)`));
            }
            return lines.join("\n");
        }

        x(time) {
            return margin.left + (time - this.from) / this.span * this.width;
        }

        draw() {
            if (this.sheet.width === 0) {
                return;
            }
            const pen = this.sheet.clear(this.height);
            this.drawAxis(pen);
            pen.save();
            pen.beginPath();
            pen.rect(margin.left, margin.top, this.width, this.tall);
            pen.clip();
            const high = this.tall / (this.lastRow - this.firstRow);
            const last = Math.min(this.labels.length, Math.ceil(this.lastRow));
            for (let row = Math.floor(this.firstRow); row < last; ++row) {
                const y = margin.top + (row - this.firstRow) * high;
                if (this.intervals) {
                    this.drawIntervals(pen, this.intervals[row], y, high);
                }
            }
            pen.restore();
            if (this.cells) {
                this.drawCells(pen, high);
            }
            this.drawLabels(pen, high);
            this.tell();
        }

        bandOf(band, y, high) {
            const space = Math.min(3, high * 0.12);
            const inner = high - space;
            return band === 0 ? [y + space / 2, inner * bandPart]
                : [y + space / 2 + inner * bandPart, inner * (1 - bandPart)];
        }

        drawIntervals(pen, row, y, high) {
            const bands = [0, 1].map((band) => this.bandOf(band, y, high));
            for (const {start, end, activity} of row) {
                if (end < this.from || start > this.to) {
                    continue;
                }
                const [top, tall] = bands[this.activities[activity].band];
                const x = this.x(start);
                pen.fillStyle = this.activities[activity].colour;
                pen.fillRect(x, top, Math.max(0.5, this.x(end) - x), tall);
            }
        }

        /** Pixel by pixel: quicker than boxes where cells are as small as pixels. */
        drawCells(pen, high) {
            const ratio = this.canvas.width / this.canvas.clientWidth;
            const wide = Math.max(1, Math.round(this.width * ratio));
            const tall = Math.round(this.tall * ratio);
            const columns = this.cells[0][0].length;
            const image = pen.createImageData(wide, tall);
            const pixels = new Uint32Array(image.data.buffer);
            const column = Uint32Array.from({length: wide}, (_, x) => Math.min(columns - 1,
                Math.floor((this.from + (x + 0.5) / wide * this.span) / this.length * columns)));
            // Of rows too low for their bands, the first of each few is shown.
            const few = Math.max(1, Math.ceil(leastRow / high));
            for (let y = 0; y < tall; ++y) {
                const place = this.firstRow + (y + 0.5) / tall * (this.lastRow - this.firstRow);
                const row = Math.floor(place / few) * few;
                const part = (place - row) / few;
                const space = Math.min(0.06, 1.5 / (high * few));
                const cells = part < space || part > 1 - space
                    ? null : this.cells[row][part < bandPart ? 0 : 1];
                const at = y * wide;
                for (let x = 0; x < wide; ++x) {
                    pixels[at + x] = this.shades[cells ? cells[column[x]] : 0];
                }
            }
            pen.putImageData(image, Math.round(margin.left * ratio), Math.round(margin.top * ratio));
        }

        drawAxis(pen) {
            const [name, size] = unitOf(this.span);
            const rough = this.span / size / Math.max(2, this.width / 110);
            const power = 10 ** Math.floor(Math.log10(rough));
            const step = [1, 2, 5, 10].map((digit) => digit * power)
                .find((each) => each >= rough) || power * 10;
            const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
            const floor = margin.top + this.tall;
            pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
            pen.textAlign = "center";
            pen.strokeStyle = rule;
            pen.lineWidth = 1;
            for (let i = Math.ceil(this.from / size / step); i * step * size <= this.to; ++i) {
                const x = Math.round(this.x(i * step * size)) + 0.5;
                pen.beginPath();
                pen.moveTo(x, margin.top);
                pen.lineTo(x, floor);
                pen.stroke();
                pen.fillStyle = ink;
                pen.fillText((i * step).toFixed(decimals), x, floor + 16);
            }
            pen.fillText(`time (${name})`, margin.left + this.width / 2, floor + 35);
        }

        drawLabels(pen, high) {
            pen.fillStyle = ink;
            pen.strokeStyle = "#80868f";
            pen.strokeRect(margin.left - 0.5, margin.top, 0.001, this.tall);
            pen.textAlign = "right";
            let each = 1;
            while (each * high < 14) {
                each *= 2;
            }
            const last = Math.min(this.labels.length, Math.ceil(this.lastRow));
            for (let row = Math.floor(this.firstRow); row < last; ++row) {
                const y = margin.top + (row + 0.5 - this.firstRow) * high;
                if (row % each === 0 && y > margin.top + 2 && y < margin.top + this.tall - 2) {
                    pen.fillText(this.labels[row], margin.left - 7, y + 4, margin.left - 26);
                }
            }
            pen.save();
            pen.translate(13, margin.top + this.tall / 2);
            pen.rotate(-Math.PI / 2);
            pen.textAlign = "center";
            pen.fillText("rank", 0, 0);
            pen.restore();
        }

        tell() {
            const first = Math.floor(this.firstRow);
            const last = Math.min(this.labels.length, Math.ceil(this.lastRow)) - 1;
            const text = `${inUnit(this.from, this.span)} to ${inUnit(this.to, this.span)}, `
                + `ranks ${this.labels[first]} to ${this.labels[last]}`;
            if (this.status.textContent !== text) {
                this.status.textContent = text;
            }
        }
    }

    for (const root of document.querySelectorAll(".chart")) {
        new Chart(root);
    }
})();
//]]>

