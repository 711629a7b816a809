#include "chakra/schemas/schema_detection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "chakra/schemas/frame_evidence.h"
#include "chakra/schemas/wire_fields.h"

namespace npunet::chakra {

namespace {

using Frames = std::vector<std::string_view>;

/// What a file may be; of two with equal points the first is believed.
struct Candidate {
    Schema schema;
    bool metadata_frame;
};

constexpr std::array<Candidate, 9> all_candidates{{{Schema::V0_0_4, true},
                                                   {Schema::V0_0_4, false},
                                                   {Schema::V0_0_3d, true},
                                                   {Schema::V0_0_3d, false},
                                                   {Schema::V0_0_3c, true},
                                                   {Schema::V0_0_3a, false},
                                                   {Schema::V0_0_1, false},
                                                   {Schema::V0_0_2, false},
                                                   {Schema::V0_0_4pre, true}}};

/// How well a candidate explains the frames.
struct Verdict {
    Candidate candidate{Schema::V0_0_4, true};
    std::size_t frames = 0;  ///< read before the first that it cannot be
    bool fits = true;
    std::string fault;  ///< of the frame after those
    std::int64_t points = 0;
    std::string objection;
    std::size_t objection_frame = 0;
    int objection_points = 0;
};

void add(Verdict& verdict, const Evidence& evidence) {
    if (!evidence.fault.empty()) {
        verdict.fits = false;
        verdict.fault = evidence.fault;
        return;
    }
    verdict.points += evidence.points;
    if (evidence.objection_points < verdict.objection_points) {
        verdict.objection_points = evidence.objection_points;
        verdict.objection = evidence.objection;
        verdict.objection_frame = verdict.frames;
    }
    ++verdict.frames;
}

/// What is no metadata of any schema, even where it is no node either.
bool begins_with_number(std::string_view frame) {
    WireFields fields(frame);
    return fields.next() && fields.field().type == WireType::Varint;
}

Verdict judge(const Candidate& candidate, const Frames& frames) {
    Verdict verdict;
    verdict.candidate = candidate;
    const NodeForm form = node_form(candidate.schema);
    for (const std::string_view frame : frames) {
        const bool metadata = candidate.metadata_frame && verdict.frames == 0;
        add(verdict, metadata ? evidence_of_metadata(candidate.schema, frame)
                              : evidence_of_node(form, frame));
        if (!verdict.fits) {
            verdict.points -= metadata && begins_with_number(frame) ? 1 : 0;
            break;
        }
    }
    return verdict;
}

/// In a whole file, dependencies on nodes that it does not have speak against 0.0.4, whose field 5
/// is something else in all other schemas.
void judge_dependencies(const Frames& frames, Verdict& verdict) {
    std::unordered_set<std::uint64_t> ids;
    std::vector<std::uint64_t> dependencies;
    for (const std::string_view frame : frames) {
        std::uint64_t id = 0;
        for (WireFields fields(frame); fields.next();) {
            if (fields.field().number == 1) {
                id = fields.field().value;
            } else if (fields.field().number == 5 && fields.field().type == WireType::Varint) {
                dependencies.push_back(fields.field().value);
            }
        }
        ids.insert(id);
    }
    const auto absent = std::count_if(dependencies.begin(), dependencies.end(),
                                      [&](std::uint64_t id) { return ids.count(id) == 0; });
    verdict.points -= 2 * absent;
}

bool better(const Verdict& a, const Verdict& b) {
    if (a.fits != b.fits) {
        return a.fits;
    }
    if (!a.fits && a.frames != b.frames) {
        return a.frames > b.frames;
    }
    return a.points > b.points;
}

/// The first field that nodes of this schema have and those of other forms do not, as a sentence.
std::optional<std::string> telling_field(const Candidate& candidate, const Frames& frames) {
    const NodeForm own = node_form(candidate.schema);
    const std::size_t first = candidate.metadata_frame ? 1 : 0;
    for (std::size_t i = first; i < frames.size(); ++i) {
        for (WireFields fields(frames[i]); fields.next();) {
            const bool only = std::all_of(node_forms.begin(), node_forms.end(), [&](NodeForm form) {
                return (form == own) == accepts(node_message(form), fields.field());
            });
            if (only) {
                return fmt::format("field {} is {} in frame {}: only {} has that",
                                   fields.field().number, name_of(fields.field().type), i,
                                   name_of(candidate.schema));
            }
        }
    }
    return std::nullopt;
}

/// The metadata frame, when no other schema has such a one.
std::optional<std::string> telling_metadata(const Candidate& candidate, const Frames& frames) {
    if (!candidate.metadata_frame || frames.front().empty()) {
        return std::nullopt;
    }
    for (const Schema schema : all_schemas) {
        if (has_metadata_frame(schema) && schema != candidate.schema &&
            evidence_of_metadata(schema, frames.front()).fault.empty()) {
            return std::nullopt;
        }
    }
    return fmt::format("frame 0 is metadata as only {} has it", name_of(candidate.schema));
}

std::string reason_for(const Verdict& best, const Verdict& rival, const Frames& frames) {
    if (auto sentence = telling_metadata(best.candidate, frames)) {
        return *sentence;
    }
    if (auto sentence = telling_field(best.candidate, frames)) {
        return *sentence;
    }
    const std::string_view other = name_of(rival.candidate.schema);
    if (!rival.fits) {
        return fmt::format("frame {} cannot be of {}: {}", rival.frames, other, rival.fault);
    }
    if (rival.points < best.points && !rival.objection.empty()) {
        return fmt::format("not {}, because in frame {} {}", other, rival.objection_frame,
                           rival.objection);
    }
    return fmt::format("the frames could be of {} as well, which is seen less often", other);
}

/// Whether every frame means the same in both: none has more than id, name and type, and the types
/// have the same numbers.
bool mean_the_same(const Candidate& a, const Candidate& b, const Frames& frames) {
    const auto types_since_0_0_3 = [](const Candidate& candidate) {
        return candidate.schema >= Schema::V0_0_3a;
    };
    if (types_since_0_0_3(a) != types_since_0_0_3(b) || a.metadata_frame != b.metadata_frame) {
        return false;
    }
    const NodeForm form_a = node_form(a.schema);
    const NodeForm form_b = node_form(b.schema);
    const bool both_0_0_3 = form_a != NodeForm::V0_0_4 && form_b != NodeForm::V0_0_4;
    const int highest = both_0_0_3 ? 10 : 3;
    for (std::size_t i = a.metadata_frame ? 1 : 0; i < frames.size(); ++i) {
        for (WireFields fields(frames[i]); fields.next();) {
            if (fields.field().number > highest) {
                return false;
            }
        }
    }
    return true;
}

/// Below this difference in points a decision is no certainty.
constexpr std::int64_t clear_lead = 4;

}  // namespace

Detection detect_schema(const Frames& first_frames, bool whole_file) {
    if (first_frames.empty()) {
        return {Schema::V0_0_4, true, "there are no frames", false, true, 0};
    }
    std::vector<Verdict> verdicts;
    for (const Candidate& candidate : all_candidates) {
        verdicts.push_back(judge(candidate, first_frames));
        if (whole_file && node_form(candidate.schema) == NodeForm::V0_0_4) {
            judge_dependencies(first_frames, verdicts.back());
        }
    }
    std::stable_sort(verdicts.begin(), verdicts.end(), better);
    const Verdict& best = verdicts[0];
    Detection found{
        best.candidate.schema, best.candidate.metadata_frame, "", false, best.fits, best.frames};
    if (!best.fits) {
        found.reason = best.fault;
        return found;
    }
    const auto other_form = [&](const Verdict& verdict) {
        return node_form(verdict.candidate.schema) != node_form(best.candidate.schema);
    };
    // Who begins the file alike is the likelier rival, and the better one to compare with.
    std::stable_partition(verdicts.begin() + 1, verdicts.end(), [&](const Verdict& verdict) {
        return verdict.fits || verdict.candidate.metadata_frame == best.candidate.metadata_frame;
    });
    const auto rival = std::find_if(verdicts.begin(), verdicts.end(), other_form);
    found.reason = reason_for(best, *rival, first_frames);
    found.ambiguous = std::any_of(rival, verdicts.end(), [&](const Verdict& verdict) {
        return other_form(verdict) && verdict.fits && best.points - verdict.points < clear_lead &&
               !(whole_file && mean_the_same(best.candidate, verdict.candidate, first_frames));
    });
    return found;
}

Detection assume_schema(Schema schema, const Frames& first_frames) {
    Detection found{schema, has_metadata_frame(schema), "the schema was given", false, true, 0};
    // What the frames hold is for their readers to judge; only what the first one is has to be
    // told.
    if (has_metadata_frame(schema) && !first_frames.empty()) {
        const Verdict with = judge({schema, true}, first_frames);
        const Verdict without = judge({schema, false}, first_frames);
        found.metadata_frame = !better(without, with);
    }
    return found;
}

}  // namespace npunet::chakra
