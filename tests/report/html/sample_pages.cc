#include "tests/report/html/sample_pages.h"

#include <fmt/format.h>

#include <cassert>
#include <random>

#include "tests/report/sample_results.h"

namespace npunet::report {

namespace {

Time upto(std::mt19937_64& random, std::int64_t most) {
    return Time::ps(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)));
}

/// A communication for every collective of the run, each with parts that may be negative.
void explain(const engine::Results& most, GapExplanation& why) {
    std::mt19937_64 random(7);
    for (const engine::CollectiveResult& collective : most.collectives) {
        CommunicationGap entry;
        entry.id = collective.id;
        entry.name = collective.name;
        entry.type = collective.type;
        entry.ranks = collective.group;
        entry.start = collective.first_start;
        entry.end = collective.end;
        for (const auto& [name, part] : gap_parts) {
            entry.gap.*part = upto(random, 2'000'000) - Time::ns(500);
        }
        entry.critical = collective.id % 3 == 0;
        why.communications.push_back(std::move(entry));
    }
    for (std::size_t i = 1; i < why.communications.size(); i += 2) {
        why.communications[i].link_contention.push_back({most.links[i % most.links.size()].from,
                                                         most.links[i % most.links.size()].to,
                                                         i - 1, Time::ns(40)});
    }
}

}  // namespace

const std::vector<std::string>& hostile_texts() {
    static const std::vector<std::string> texts{
        "</script><script>window.broken = 1</script>",
        "\"><img src=\"x\" onerror=\"window.broken = 1\">",
        "' onmouseover='window.broken = 1",
        "</td></tr></table></main><h1>taken over</h1>",
        "<!-- a comment without an end",
        "]]> <![CDATA[",
        "</style><style>body { display: none }",
        "&lt;b&gt; &amp; &#60;",
        "{{constructor}} ${window.broken = 1} \\u003c",
        "url(https://example.org/x) javascript:window.broken=1",
        "a long name without a blank " + std::string(300, 'w'),
        "two  blanks, a\ttab and a\nline",
        "\xE2\x80\xAE turned round",       // U+202E
        "\xE2\x80\xA8 a line separator"};  // U+2028
    return texts;
}

analysis::RunTimeline hostile_timeline() {
    analysis::RunTimeline timeline;
    timeline.load.bin = Time::ns(10);
    timeline.load.bins = 2;
    for (const std::string& text : hostile_texts()) {
        analysis::Interval row;
        row.rank = Rank(0);
        row.name = timeline.names.number_of(text);
        row.start = Time::ns(static_cast<std::int64_t>(timeline.intervals.size()));
        row.end = row.start + Time::ns(1);
        timeline.intervals.add(row);
        timeline.load.nodes.push_back({text, static_cast<float>(timeline.load.nodes.size()), 0});
        timeline.load.links.push_back({hostile_texts()[0], text});
        timeline.load.shares.insert(timeline.load.shares.end(), {0.5F, 1});
    }
    timeline.finish();
    return timeline;
}

engine::Results hostile_results() {
    engine::Results results = sample_results();
    results.notes = hostile_texts();
    for (const std::string& text : hostile_texts()) {
        engine::CollectiveResult collective = results.collectives[0];
        collective.id = static_cast<std::int64_t>(results.collectives.size());
        collective.name = text;
        collective.type = text;
        collective.algorithm = text;
        results.collectives.push_back(collective);
        engine::LinkResult link = results.links[0];
        link.from = text;
        link.to = text;
        results.links.push_back(link);
    }
    return results;
}

engine::Results large_results(std::size_t npus, std::size_t collectives) {
    engine::Results results = sample_results();
    std::mt19937_64 random(1);
    const engine::NpuResult npu = results.npus[0];
    const engine::CollectiveResult collective = results.collectives[0];
    const engine::LinkResult link = results.links[0];
    results.finish = Time::ns(20'000'000);
    results.npus.clear();
    results.collectives.clear();
    results.links.clear();
    for (std::size_t i = 0; i < npus; ++i) {
        engine::NpuResult one = npu;
        one.rank = Rank(i);
        one.compute = upto(random, 8'000'000'000);
        one.exposed_communication = upto(random, 8'000'000'000);
        one.exposed_memory = upto(random, 2'000'000'000);
        one.communication = one.exposed_communication + upto(random, 1'000'000'000);
        one.idle = upto(random, 2'000'000'000);
        one.finish = one.compute + one.exposed_communication + one.exposed_memory + one.idle;
        results.npus.push_back(one);
        for (std::size_t k = 1; k <= 4; ++k) {
            engine::LinkResult other = link;
            other.from = fmt::format("npu{}", i);
            other.to = fmt::format("npu{}", (i + k) % npus);
            other.busy = upto(random, 20'000'000'000);
            other.wire = Bytes(static_cast<std::int64_t>(random() % 1'000'000'000));
            other.utilization_percent = static_cast<double>(other.busy.ps()) / 2e8;
            results.links.push_back(other);
        }
    }
    for (std::size_t i = 0; i < collectives; ++i) {
        engine::CollectiveResult one = collective;
        one.id = static_cast<std::int64_t>(i);
        one.name = fmt::format("micro-batch {} layer {} gradients", i % 64, i / 64);
        one.first_start = Time::ns(static_cast<std::int64_t>(i) * 900);
        one.last_start = one.first_start + upto(random, 100'000'000);
        one.end = one.last_start + upto(random, 100'000'000) + Time::ps(1);
        one.bandwidth_gbps = 1e6 / static_cast<double>((one.end - one.last_start).ps());
        one.group = {Rank(i % npus), Rank((i + 1) % npus)};
        results.collectives.push_back(one);
    }
    return results;
}

SampleComparison sample_comparison() {
    SampleComparison sample;
    sample.runs = {sample_analytical(), hostile_results()};
    const Time difference = sample.runs[1].finish - sample.runs[0].finish;
    sample.why.total = {Time::ns(20), Time::ns(-60), Time::ns(150),
                        Time::ns(30), Time(),        Time::ps(60'250)};
    assert(sample.why.total.total() == difference);
    sample.why.path = sample.why.total;
    sample.why.path.dependency = Time();
    sample.why.slack = difference - sample.why.path.total();
    Time finish = sample.runs[0].finish;
    sample.why.effect_levels.push_back({"", finish, Time(), Time()});
    for (const auto& [name, part] : gap_parts) {
        if (part != &Gap::dependency) {
            const bool last = part == &Gap::congestion_control;
            const Time inherited = last ? sample.why.total.dependency : Time();
            finish += sample.why.total.*part + inherited;
            sample.why.effect_levels.push_back({name, finish, sample.why.total.*part, inherited});
        }
    }
    explain(sample.runs[1], sample.why);
    sample.why.notes = {"a note with <markup>"};
    sample.why.links = {{hostile_texts()[0], "npu1", Time::ns(40), {0, 1}}};
    return sample;
}

SampleComparison large_comparison(std::size_t npus, std::size_t collectives) {
    SampleComparison sample = sample_comparison();
    sample.runs = {large_results(npus, collectives), large_results(npus, collectives)};
    sample.runs[0].fidelity = "analytical";
    sample.runs[0].finish = sample.runs[1].finish - sample.why.total.total();
    sample.why.communications.clear();
    explain(sample.runs[1], sample.why);
    return sample;
}

}  // namespace npunet::report
