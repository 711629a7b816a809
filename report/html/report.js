//<![CDATA[
"use strict";

// Makes the tables of the page sort and filter, and leafs through their rows, which are the JSON at the
// end of each table; nothing else is read, and nothing is fetched.
(() => {
    // So many rows are shown at a time, as the reader chooses: browsers lay out a table as a whole, so
    // that tens of thousands of rows take seconds.
    const pageSizes = [50, 500, 2000];
    const filterFrom = 8;
    const longText = 60;

    const element = (name, text, className) => {
        const node = document.createElement(name);
        if (text !== undefined) {
            node.textContent = text;
        }
        if (className) {
            node.className = className;
        }
        return node;
    };

    const button = (text, action) => {
        const node = element("button", text);
        node.type = "button";
        node.addEventListener("click", action);
        return node;
    };

    /** A decimal in units of 10^-12, exactly. */
    const scaled = (text) => {
        const [whole, fraction = ""] = text.split(".");
        return BigInt(whole + fraction.padEnd(12, "0"));
    };

    /** The order of two decimals; doubles tell most of them apart, and never turn them round. */
    const compareDecimals = (a, b) => {
        const difference = Number(a) - Number(b);
        if (difference !== 0 || a === b) {
            return difference;
        }
        const plain = /^-?[0-9]+(\.[0-9]{1,12})?$/;
        if (!plain.test(a) || !plain.test(b)) {
            return 0;
        }
        const x = scaled(a);
        const y = scaled(b);
        return x < y ? -1 : x > y ? 1 : 0;
    };

    const withDigits = (value, unit) =>
        `${value.toFixed(value >= 100 ? 1 : value >= 10 ? 2 : 3)} ${unit}`;

    /** Nanoseconds in the unit that fits, as base/units.cc writes times. */
    const timeText = (ns) => {
        const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3]];
        const fitting = units.find(([, size]) => Math.abs(ns) >= size);
        return fitting ? withDigits(ns / fitting[1], fitting[0]) : `${Number(ns.toFixed(3))} ns`;
    };

    /** Bytes in the unit that fits, as base/units.cc writes them. */
    const bytesText = (bytes) => {
        const units = [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];
        const fitting = units.find(([, size]) => bytes >= size);
        if (!fitting) {
            return `${bytes} B`;
        }
        const [unit, size] = fitting;
        return bytes % size === 0 ? `${bytes / size} ${unit}` : withDigits(bytes / size, unit);
    };

    const collator = new Intl.Collator("en", {numeric: true});

    /** A column: what its cells are, and in which order rows stand by it. */
    class Column {
        constructor({kind, texts, cells}) {
            this.kind = kind;
            this.isText = kind === "text";
            this.texts = texts;
            this.cells = cells === "" ? [] : cells.split(" ");
        }

        text(row) {
            return this.isText ? this.texts[this.cells[row]] : this.cells[row];
        }

        /** The class of a cell. */
        style(row) {
            return !this.isText ? "number" : this.text(row).length > longText ? "long" : "";
        }

        /** Rows in ascending order; what is not there comes last, whatever the direction. */
        order(descending) {
            const rows = this.cells.map((cell, row) => row);
            const sign = descending ? -1 : 1;
            if (this.isText) {
                const sorted = this.texts.map((text, i) => i)
                    .sort((a, b) => collator.compare(this.texts[a], this.texts[b]));
                const rank = [];
                sorted.forEach((i, place) => { rank[i] = place; });
                return rows.sort((a, b) => sign * (rank[this.cells[a]] - rank[this.cells[b]]));
            }
            const values = Float64Array.from(this.cells, (cell) => Number(cell));
            return rows.sort((a, b) => {
                if (Number.isNaN(values[a]) || Number.isNaN(values[b])) {
                    return Number.isNaN(values[a]) - Number.isNaN(values[b]);
                }
                const difference = values[a] - values[b];
                return sign * (difference !== 0
                    ? difference : compareDecimals(this.cells[a], this.cells[b]));
            });
        }

        /** A cell as it is shown: of doubles three decimals; times and bytes in units that fit. */
        shown(row) {
            const text = this.text(row);
            const show = {real: (number) => number.toFixed(3), time: timeText, bytes: bytesText};
            return this.kind in show && text !== "-" ? show[this.kind](Number(text)) : text;
        }

        /** The exact number where another one is shown. */
        title(row) {
            const units = {real: "", time: " ns", bytes: " bytes"};
            return this.kind in units ? this.text(row) + units[this.kind] : "";
        }

        /** Puts a cell into a <td> or <th>; digits in groups of three. */
        fill(node, row) {
            const shown = this.shown(row);
            if (this.isText || shown === "-") {
                node.textContent = shown;
                return;
            }
            if (this.title(row)) {
                node.title = this.title(row);
            }
            if (this.kind === "time" || this.kind === "bytes") {
                node.textContent = shown;
                return;
            }
            const [, sign, whole, rest] = /^(-?)([0-9]*)(.*)$/.exec(shown);
            const first = whole.length < 5 ? whole.length : (whole.length - 1) % 3 + 1;
            node.textContent = sign + whole.slice(0, first);
            for (let at = first; at < whole.length; at += 3) {
                node.append(element("span", whole.slice(at, at + 3)));
            }
            node.append(rest);
        }
    }

    class Table {
        constructor(root) {
            this.root = root;
            this.body = root.querySelector("tbody");
            this.heads = [...root.querySelectorAll("thead th")];
            this.columns = JSON.parse(root.querySelector("script").textContent)
                .map((column) => new Column(column));
            this.names = this.heads.map((head) => head.textContent);
            this.total = this.columns[0].cells.length;
            this.order = this.columns[0].cells.map((cell, row) => row);
            this.rows = this.order;
            this.first = 0;
            this.size = pageSizes[0];
            this.sorting = "";
            this.heads.forEach((head, i) => this.makeSortable(head, i));
            this.makeTools();
            const without = root.querySelector(".without-script");
            if (without) {
                without.remove();
            }
            this.tell();
        }

        makeSortable(head, i) {
            head.setAttribute("aria-sort", "none");
            const control = button("", () => this.sort(i));
            control.append(...head.childNodes, "\u00a0");
            const arrow = element("span", undefined, "arrow");
            arrow.setAttribute("aria-hidden", "true");
            control.append(arrow);
            head.append(control);
        }

        makeTools() {
            const tools = element("div", undefined, "tools");
            if (this.total >= filterFrom) {
                const label = element("label", "Filter");
                this.input = element("input");
                this.input.type = "search";
                this.input.setAttribute("aria-describedby",
                    this.root.querySelector("caption").id);
                this.input.addEventListener("input", () => this.filter());
                label.append(this.input);
                tools.append(label);
            }
            // Of a table that is seen whole the status is for those who do not see it.
            this.status = element("p", undefined, this.total < filterFrom ? "unseen" : "");
            this.status.setAttribute("role", "status");
            tools.append(this.status);
            if (this.total > pageSizes[0]) {
                this.makePaging(tools);
            }
            this.root.prepend(tools);
        }

        makePaging(tools) {
            const label = element("label", "Rows at a time");
            const choice = element("select");
            for (const size of pageSizes.filter((each) => each < this.total)) {
                choice.append(new Option(size, size));
            }
            if (this.total <= pageSizes.at(-1)) {
                choice.append(new Option(`all ${this.total}`, this.total));
            }
            choice.addEventListener("change", () => {
                this.size = Number(choice.value);
                this.show(0);
            });
            label.append(choice);
            this.previous = button("Previous", () => this.show(this.first - this.size));
            this.next = button("Next", () => this.show(this.first + this.size));
            tools.append(label, this.previous, this.next);
        }

        sort(i) {
            const now = this.heads[i].getAttribute("aria-sort");
            // Of numbers the largest are looked for, of texts the first.
            const descending = now === "none" ? !this.columns[i].isText : now === "ascending";
            for (const head of this.heads) {
                head.setAttribute("aria-sort", "none");
            }
            const direction = descending ? "descending" : "ascending";
            this.heads[i].setAttribute("aria-sort", direction);
            this.sorting = `, sorted by ${this.names[i]}, ${direction}`;
            this.order = this.columns[i].order(descending);
            this.filter();
        }

        /** Keeps the rows that contain every word of the filter. */
        filter() {
            const words = this.input ? this.input.value.toLowerCase().split(/\s+/).filter(Boolean)
                : [];
            if (words.length > 0 && !this.searched) {
                this.searched = this.columns[0].cells.map((cell, row) =>
                    this.columns.map((column) => `${column.shown(row)} ${column.title(row)}`)
                        .join("\n").toLowerCase());
            }
            this.rows = words.length === 0 ? this.order : this.order.filter(
                (row) => words.every((word) => this.searched[row].includes(word)));
            this.show(0);
        }

        show(first) {
            this.first = Math.max(first, 0);
            const lines = this.rows.slice(this.first, this.first + this.size);
            this.body.replaceChildren(...lines.map((row) => this.row(row)));
            this.root.querySelector(".scroll").scrollTop = 0;
            this.tell();
        }

        row(number) {
            const line = element("tr");
            this.columns.forEach((column, i) => {
                const cell = element(i === 0 ? "th" : "td", undefined, column.style(number));
                if (i === 0) {
                    cell.scope = "row";
                }
                column.fill(cell, number);
                line.append(cell);
            });
            return line;
        }

        tell() {
            const found = this.rows.length;
            const end = Math.min(this.first + this.size, found);
            const rows = found < this.total ? `${found} matching rows of ${this.total}`
                : found === 1 ? "1 row" : `${found} rows`;
            const part = end - this.first < found ? `Rows ${this.first + 1} to ${end} of ` : "";
            const status = part + rows + this.sorting;
            if (this.status.textContent !== status) {
                this.status.textContent = status;
            }
            if (this.next) {
                this.previous.disabled = this.first === 0;
                this.next.disabled = end === found;
            }
        }
    }

    for (const root of document.querySelectorAll(".table")) {
        new Table(root);
    }
})();
//]]>
