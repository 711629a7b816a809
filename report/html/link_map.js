//<![CDATA[
"use strict";

// Draws the map of the links from the JSON beside it: the network, every link in the colour of how much
// of the time it was sending, at the time that a slider chooses or over the whole run.
(() => {
    const {element, fromTo, Sheet} = picture;
    const margin = 22;
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const value = new Map([...digits].map((digit, i) => [digit, i / 63]));
    const idle = "#d5d5d5";
    /** In steps of the grid; longer links close a ring. */
    const longestLink = 1.6;

    class LinkMap {
        constructor(root) {
            this.data = JSON.parse(root.querySelector("script").textContent);
            this.root = root;
            this.links = this.data.links.map(([from, to, shares]) => ({from, to,
                shares: Array.from(shares, (digit) => value.get(digit))}));
            this.right = Math.max(1, ...this.data.nodes.map((node) => node.x));
            this.low = Math.max(0, ...this.data.nodes.map((node) => node.y));
            this.findStubs();
            root.querySelector(".without-script").remove();
            this.makeTools();
            this.makeCanvas();
            this.choose();
            new ResizeObserver(() => this.draw()).observe(this.canvas);
        }

        /**
         * Links that close a ring: long ones of a grid, which stands at whole steps, and in planes, which
         * do not stand at whole heights, those that pass another node.
         */
        findStubs() {
            const {nodes} = this.data;
            const rows = nodes.every((node) => Number.isInteger(node.y));
            const grid = rows && nodes.every((node) => Number.isInteger(node.x));
            for (const link of this.links) {
                const a = nodes[link.from];
                const [x, y] = [nodes[link.to].x - a.x, nodes[link.to].y - a.y];
                const passes = (node) => {
                    const along = ((node.x - a.x) * x + (node.y - a.y) * y) / (x * x + y * y);
                    return along > 1e-3 && along < 1 - 1e-3
                        && Math.hypot(node.x - a.x - along * x, node.y - a.y - along * y) < 1e-3;
                };
                link.stub = grid ? Math.hypot(x, y) > longestLink : !rows && nodes.some(passes);
            }
        }

        makeTools() {
            const tools = element("div", "", "tools");
            const whole = element("label", "Whole run");
            this.whole = element("input");
            this.whole.type = "checkbox";
            this.whole.checked = true;
            whole.prepend(this.whole);
            const label = element("label", "Time");
            this.slider = element("input");
            this.slider.type = "range";
            this.slider.min = 0;
            this.slider.max = this.data.bins - 1;
            this.slider.value = 0;
            label.append(this.slider);
            this.status = element("p");
            this.status.setAttribute("role", "status");
            tools.append(whole, label, this.status);
            this.root.append(tools);
            this.whole.addEventListener("change", () => this.choose());
            this.slider.addEventListener("input", () => {
                this.whole.checked = false;
                this.choose();
            });
        }

        makeCanvas() {
            this.sheet = new Sheet(this.root);
            this.canvas = this.sheet.canvas;
            this.canvas.setAttribute("role", "img");
            this.canvas.addEventListener("pointermove", (event) => this.point(event));
        }

        /** Takes the shares of the time that is chosen. */
        choose() {
            const bin = Number(this.slider.value);
            for (const link of this.links) {
                link.share = this.whole.checked ? link.mean ?? (link.mean = this.meanOf(link))
                    : link.shares[bin];
            }
            this.order = [...this.links].sort((a, b) => a.share - b.share);
            const ps = (number) => 1e3 * Math.min(number * this.data.bin_ns, this.data.length_ns);
            const busiest = this.order.at(-1);
            const span = this.whole.checked ? "whole run"
                : fromTo(ps(bin), ps(bin + 1), ps(bin + 1));
            this.slider.setAttribute("aria-valuetext", span);
            this.status.textContent = `${span}; busiest: ${this.nameOf(busiest)}`;
            this.canvas.setAttribute("aria-label", `Map of the links, ${this.status.textContent}`);
            this.draw();
        }

        /** The last bin may be shorter than the others. */
        meanOf(link) {
            const whole = this.data.length_ns / this.data.bin_ns;
            return link.shares.reduce(
                (sum, share, i) => sum + share * Math.min(1, whole - i), 0) / whole;
        }

        nameOf(link) {
            const {nodes} = this.data;
            return `${nodes[link.from].name} -> ${nodes[link.to].name}, `
                + `${Math.round(100 * link.share)} %`;
        }

        colour(share) {
            const {scale} = this.data;
            return share === 0 ? idle : scale[Math.round(share * (scale.length - 1))];
        }

        /** The ends of a link's pieces, each on the right in its direction. */
        piecesOf(link) {
            const at = (node) => [this.left + this.data.nodes[node].x * this.step,
                margin + this.data.nodes[node].y * this.step];
            const [ax, ay] = at(link.from);
            const [bx, by] = at(link.to);
            const length = Math.hypot(bx - ax, by - ay) || 1;
            const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
            const [sx, sy] = [-uy * this.thick * 0.6, ux * this.thick * 0.6];
            const piece = (from, to) => [ax + ux * from + sx, ay + uy * from + sy,
                ax + ux * to + sx, ay + uy * to + sy];
            const stub = Math.min(0.4 * this.step, 16);
            return link.stub
                ? [piece(-stub, 0), piece(length, length + stub)] : [piece(0, length)];
        }

        draw() {
            const wide = this.sheet.width;
            if (wide === 0) {
                return;
            }
            this.step = Math.min((wide - 2 * margin) / this.right, 110,
                this.low > 0 ? 640 / this.low : 110);
            const high = this.low * this.step + 2 * margin;
            this.left = (wide - this.right * this.step) / 2;
            this.thick = Math.min(5, Math.max(0.8, this.step / 10));
            const pen = this.sheet.clear(high);
            pen.lineWidth = this.thick;
            for (const link of this.order) {
                pen.strokeStyle = this.colour(link.share);
                pen.beginPath();
                for (const [ax, ay, bx, by] of this.piecesOf(link)) {
                    pen.moveTo(ax, ay);
                    pen.lineTo(bx, by);
                }
                pen.stroke();
            }
            pen.fillStyle = "#595959";
            const radius = Math.min(6, Math.max(0.8, this.step / 9));
            for (const node of this.data.nodes) {
                pen.beginPath();
                pen.arc(this.left + node.x * this.step, margin + node.y * this.step, radius, 0, 7);
                pen.fill();
            }
        }

        point(event) {
            let best = null;
            let nearest = 8;
            for (const link of this.links) {
                for (const [ax, ay, bx, by] of this.piecesOf(link)) {
                    const length = (bx - ax) ** 2 + (by - ay) ** 2 || 1;
                    const part = Math.max(0, Math.min(1, ((event.offsetX - ax) * (bx - ax)
                        + (event.offsetY - ay) * (by - ay)) / length));
                    const distance = Math.hypot(event.offsetX - ax - part * (bx - ax),
                        event.offsetY - ay - part * (by - ay));
                    if (distance < nearest) {
                        nearest = distance;
                        best = link;
                    }
                }
            }
            this.sheet.showTip(best ? this.nameOf(best) : "", event);
        }
    }

    for (const root of document.querySelectorAll(".link-map")) {
        new LinkMap(root);
    }
})();
//]]>

