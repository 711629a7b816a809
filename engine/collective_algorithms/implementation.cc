#include "engine/collective_algorithms/implementation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "engine/collective_algorithms/custom_algorithm.h"

namespace npunet::engine {

namespace {

struct Named {
    const char* name;
    Implementation implementation;
    bool has_flat_form;
};

Implementation plain(Algorithm algorithm) {
    Implementation result;
    result.algorithm = algorithm;
    return result;
}

Implementation both_directions(bool all_dimensions) {
    Implementation result;
    result.bidirectional = true;
    result.all_dimensions_at_once = all_dimensions;
    return result;
}

const std::array<Named, 8>& all_named() {
    static const std::array<Named, 8> list{{
        {"ring", plain(Algorithm::Ring), true},
        {"bidirectionalRing", both_directions(false), true},
        {"multiRing", both_directions(true), false},
        {"direct", plain(Algorithm::Direct), true},
        {"halvingDoubling", plain(Algorithm::HalvingDoubling), true},
        {"recursiveDoubling", plain(Algorithm::RecursiveDoubling), true},
        {"doubleBinaryTree", plain(Algorithm::DoubleBinaryTree), true},
        {"binomialTree", plain(Algorithm::BinomialTree), false},
    }};
    return list;
}

std::optional<std::int32_t> window_of(std::string_view digits) {
    std::int32_t window = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), window);
    if (error != std::errc{} || stop != digits.data() + digits.size() || window < 1) {
        return std::nullopt;
    }
    return window;
}

}  // namespace

const char* name_of(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::AllReduce:
            return "all_reduce";
        case CollectiveKind::AllGather:
            return "all_gather";
        case CollectiveKind::ReduceScatter:
            return "reduce_scatter";
        case CollectiveKind::AllToAll:
            return "all_to_all";
        case CollectiveKind::Broadcast:
            return "broadcast";
        case CollectiveKind::Reduce:
            return "reduce";
        case CollectiveKind::Gather:
            return "gather";
        case CollectiveKind::Scatter:
            return "scatter";
        case CollectiveKind::Barrier:
            break;
    }
    return "barrier";
}

std::string key_of(CollectiveKind kind) {
    std::string key = name_of(kind);
    std::replace(key.begin(), key.end(), '_', '-');
    return key + "-implementation";
}

std::optional<Implementation> Implementation::named(const std::string& name) {
    std::string text = name;
    constexpr std::string_view flat_prefix = "flat-";
    bool flat = text.rfind(flat_prefix, 0) == 0;
    if (flat) {
        text = text.substr(flat_prefix.size());
    } else if (text.size() > 3 && text.rfind("one", 0) == 0 &&
               std::isupper(static_cast<unsigned char>(text[3])) != 0) {
        flat = true;
        text = text.substr(3);
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    }
    for (const Named& candidate : all_named()) {
        Implementation result = candidate.implementation;
        result.flat = flat;
        if (flat && !candidate.has_flat_form) {
            continue;
        }
        if (text == candidate.name) {
            return result;
        }
        constexpr std::string_view direct = "direct";
        if (result.algorithm == Algorithm::Direct && text.rfind(direct, 0) == 0) {
            const auto window = window_of(std::string_view(text).substr(direct.size()));
            if (window) {
                result.window = *window;
                return result;
            }
        }
    }
    for (std::int32_t i = 0; i < custom_algorithm_count(); ++i) {
        if (text == custom_algorithm(i).name) {
            Implementation result = plain(custom_algorithm_id(i));
            result.flat = flat;
            return result;
        }
    }
    return std::nullopt;
}

const char* Implementation::name() const {
    if (const std::int32_t own = custom_algorithm_number(algorithm); own >= 0) {
        return custom_algorithm(own).name.c_str();
    }
    if (algorithm == Algorithm::Dissemination) {
        return "dissemination";
    }
    for (const Named& candidate : all_named()) {
        const Implementation& other = candidate.implementation;
        if (other.algorithm == algorithm && other.bidirectional == bidirectional &&
            other.all_dimensions_at_once == all_dimensions_at_once) {
            return candidate.name;
        }
    }
    return "ring";
}

std::string Implementation::spelled() const {
    const std::string text = (flat ? "flat-" : "") + std::string(name());
    return window > 0 ? text + std::to_string(window) : text;
}

std::string Implementation::spelled_in_reference() const {
    std::string text = name();
    if (flat) {
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
        text.insert(0, "one");
    }
    return window > 0 ? text + std::to_string(window) : text;
}

bool Implementation::does(CollectiveKind kind) const {
    const bool symmetric = kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather ||
                           kind == CollectiveKind::ReduceScatter ||
                           kind == CollectiveKind::AllToAll;
    const bool one_buffer = kind == CollectiveKind::Broadcast || kind == CollectiveKind::Reduce;
    if (const std::int32_t own = custom_algorithm_number(algorithm); own >= 0) {
        return custom_algorithm(own).does(kind);
    }
    switch (algorithm) {
        case Algorithm::Ring:
            return symmetric || (one_buffer && !bidirectional);
        case Algorithm::Direct:
            return kind != CollectiveKind::Barrier;
        case Algorithm::HalvingDoubling:
        case Algorithm::RecursiveDoubling:
            return symmetric;
        case Algorithm::DoubleBinaryTree:
            return kind == CollectiveKind::AllReduce;
        case Algorithm::BinomialTree:
            return has_root(kind);
        case Algorithm::Dissemination:
            break;
    }
    return kind == CollectiveKind::Barrier;
}

std::vector<Implementation> Implementation::offered(CollectiveKind kind, bool several) {
    std::vector<Implementation> result;
    const auto add = [&](Implementation implementation, bool has_flat_form) {
        if (implementation.does(kind)) {
            result.push_back(implementation);
            implementation.flat = true;
            if (several && has_flat_form) {
                result.push_back(implementation);
            }
        }
    };
    for (const Named& candidate : all_named()) {
        add(candidate.implementation, candidate.has_flat_form);
    }
    for (std::int32_t i = 0; i < custom_algorithm_count(); ++i) {
        add(plain(custom_algorithm_id(i)), true);
    }
    return result;
}

std::string Implementation::names_for(CollectiveKind kind) {
    std::string text;
    for (const Named& candidate : all_named()) {
        if (candidate.implementation.does(kind)) {
            text += text.empty() ? "" : ", ";
            text += candidate.name;
            text += candidate.implementation.algorithm == Algorithm::Direct
                        ? ", directN (N peers at a time)"
                        : "";
        }
    }
    for (std::int32_t i = 0; i < custom_algorithm_count(); ++i) {
        if (custom_algorithm(i).does(kind)) {
            text += ", " + custom_algorithm(i).name;
        }
    }
    return text;
}

}  // namespace npunet::engine
