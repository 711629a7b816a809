#include "engine/npu/memory_tracker.h"

#include <algorithm>
#include <cmath>

namespace npunet::engine {

namespace {

struct Life {
    Time birth = Time::max();
    Time death = Time::max();
    bool written = false;
    bool read = false;
    Time first_read = Time::max();
    Time last_write;
};

struct Change {
    Time at;
    double bytes;
};

std::vector<Life> lives_of(const RankProgram& program, const std::vector<Time>& start,
                           const std::vector<Time>& end) {
    std::vector<Life> lives(program.tensor_bytes.size());
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        for (std::uint32_t u = program.tensor_begin[i]; u < program.tensor_begin[i + 1]; ++u) {
            Life& life = lives[program.tensor_uses[u].tensor];
            if (program.tensor_uses[u].write) {
                life.birth = life.written ? std::min(life.birth, start[i]) : start[i];
                life.written = true;
                life.last_write = std::max(life.last_write, start[i]);
            } else {
                life.death = life.read ? std::max(life.death, end[i]) : end[i];
                life.read = true;
                life.first_read = std::min(life.first_read, start[i]);
            }
        }
    }
    for (Life& life : lives) {
        // What is read before it is written was there from the beginning, and what is written after
        // the last read stays: a weight that its optimizer updates.
        if (life.read && life.first_read < life.birth) {
            life.birth = Time();
        }
        if (life.written && life.read && life.last_write > life.death) {
            life.read = false;
        }
    }
    return lives;
}

bool alive(const Life& life, Time at) {
    return life.birth <= at && !(life.read && life.death <= at);
}

/// The largest tensors first, of equals the first used.
void list_alive(MemoryPeak& peak, const RankProgram& program, const NameTable& names,
                const std::vector<Life>& lives) {
    std::vector<std::uint32_t> tensors;
    for (std::uint32_t tensor = 0; tensor < lives.size(); ++tensor) {
        if (alive(lives[tensor], peak.at) && program.tensor_bytes[tensor] > 0) {
            tensors.push_back(tensor);
        }
    }
    std::stable_sort(tensors.begin(), tensors.end(), [&](std::uint32_t a, std::uint32_t b) {
        return program.tensor_bytes[a] > program.tensor_bytes[b];
    });
    double rest = 0;
    for (const std::uint32_t tensor : tensors) {
        const double bytes = program.tensor_bytes[tensor];
        if (peak.largest.size() < MemoryPeak::most_listed) {
            peak.largest.push_back(
                {names[program.tensor_names[tensor]], Bytes(std::llround(bytes))});
        } else {
            ++peak.others;
            rest += bytes;
        }
    }
    peak.others_bytes = Bytes(std::llround(rest));
}

}  // namespace

Bytes peak_memory(const RankProgram& program, const NameTable& names,
                  const std::vector<Time>& start, const std::vector<Time>& end, MemoryPeak& peak) {
    peak = MemoryPeak();
    if (program.tensor_begin.empty()) {
        return Bytes();
    }
    std::vector<Change> births;
    std::vector<Change> deaths;
    const std::vector<Life> lives = lives_of(program, start, end);
    for (std::size_t tensor = 0; tensor < lives.size(); ++tensor) {
        if (lives[tensor].birth == Time::max()) {
            continue;
        }
        births.push_back({lives[tensor].birth, program.tensor_bytes[tensor]});
        if (lives[tensor].read) {
            deaths.push_back({lives[tensor].death, program.tensor_bytes[tensor]});
        }
    }
    const auto earlier = [](const Change& a, const Change& b) { return a.at < b.at; };
    std::sort(births.begin(), births.end(), earlier);
    std::sort(deaths.begin(), deaths.end(), earlier);
    double live = 0;
    double most = 0;
    std::size_t dead = 0;
    for (std::size_t born = 0; born < births.size();) {
        const Time at = births[born].at;
        for (; born < births.size() && births[born].at == at; ++born) {
            live += births[born].bytes;
        }
        for (; dead < deaths.size() && deaths[dead].at <= at; ++dead) {
            live -= deaths[dead].bytes;
        }
        if (live > most) {
            most = live;
            peak.at = at;
        }
    }
    list_alive(peak, program, names, lives);
    return Bytes(std::llround(most));
}

}  // namespace npunet::engine
