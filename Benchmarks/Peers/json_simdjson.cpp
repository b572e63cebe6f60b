// Reads a JSON Lines event log by simdjson's on-demand parser, and makes the events that LogReader
// makes of it. The file is in memory before the clock starts; the parser runs on one thread, with
// the instructions that simdjson selects for the processor. Prints a row for scripts/bench-report.
//
// usage: json_simdjson CASE FILE RUNS
#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "settle_log.h"

namespace od = simdjson::ondemand;

// Names by number. Events come in runs of one scene.
class Names {
public:
    uint32_t number(std::string_view name) {
        if (name == last_) return last_number_;
        last_ = name;
        last_number_ = numbers_.emplace(last_, static_cast<uint32_t>(numbers_.size())).first->second;
        return last_number_;
    }

private:
    std::unordered_map<std::string, uint32_t> numbers_;
    std::string last_;
    uint32_t last_number_ = UINT32_MAX;
};

static uint16_t orientation(std::string_view name) {
    static const char *const names[] = {"portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight"};
    for (unsigned i = 0; i < 4; i++) {
        if (name == names[i]) return static_cast<uint16_t>((i + 1) << SETTLE_ORIENTATION_SHIFT);
    }
    throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
}

static uint16_t kind(std::string_view name) {
    static const char *const names[] = {"geometry", "connect", "disconnect", "pointer"};
    for (uint16_t i = 0; i < 4; i++) {
        if (name == names[i]) return i;
    }
    throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
}

static uint16_t flag(bool value, unsigned known, unsigned on) {
    return static_cast<uint16_t>(value ? known | on : known);
}

static settle_log_event read_event(od::object object, Names &names) {
    settle_log_event event = {};
    for (auto field : object) {
        od::raw_json_string key = field.key();
        if (key == "t_ns") event.at_ns = field.value().get_uint64();
        else if (key == "scene") event.name = names.number(field.value().get_string());
        else if (key == "width") event.width = field.value().get_double(), event.flags |= SETTLE_SIZE_KNOWN;
        else if (key == "height") event.height = field.value().get_double();
        else if (key == "resizing") event.flags |= flag(field.value().get_bool(), SETTLE_RESIZING_KNOWN, SETTLE_RESIZING);
        else if (key == "locked") event.flags |= flag(field.value().get_bool(), SETTLE_LOCKED_KNOWN, SETTLE_LOCKED);
        else if (key == "orientation") event.flags |= orientation(field.value().get_string());
        else if (key == "kind") event.kind = kind(field.value().get_string());
        else if (key == "button") event.button = static_cast<uint32_t>(field.value().get_uint64().value());
        else if (key == "pressed") event.flags |= flag(field.value().get_bool(), 0, SETTLE_PRESSED);
    }
    return event;
}

// Events in batches of LogReader's size.
template <typename Body> static size_t read_all(const simdjson::padded_string &text, size_t header_bytes, Body body) {
    static std::vector<settle_log_event> batch(1 << 16);
    Names names;
    od::parser parser;
#ifdef SIMDJSON_THREADS_ENABLED
    parser.threaded = false;
#endif
    od::document_stream stream =
        parser.iterate_many(reinterpret_cast<const uint8_t *>(text.data()) + header_bytes, text.size() - header_bytes);
    size_t count = 0, filled = 0;
    for (auto document : stream) {
        batch[filled++] = read_event(document.get_object(), names);
        if (filled < batch.size()) continue;
        body(batch.data(), filled);
        count += filled;
        filled = 0;
    }
    body(batch.data(), filled);
    return count + filled;
}

static int run(const char *name, const char *path, int runs) {
    simdjson::padded_string text = simdjson::padded_string::load(path);
    size_t header_bytes = std::string_view(text).find('\n') + 1;
    uint64_t hash = 0xCBF29CE484222325;
    size_t events = read_all(text, header_bytes, [&](const settle_log_event *batch, size_t count) {
        const unsigned char *bytes = reinterpret_cast<const unsigned char *>(batch);
        for (size_t i = 0; i < count * sizeof *batch; i++) hash = (hash ^ bytes[i]) * 0x100000001B3;
    });
    std::vector<double> times;
    for (int i = 0; i < runs; i++) {
        auto start = std::chrono::steady_clock::now();
        size_t count = read_all(text, header_bytes, [](const settle_log_event *, size_t) {});
        std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        times.push_back(took.count() / static_cast<double>(std::max<size_t>(count, 1)));
    }
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    double median = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
    std::printf("{\"kind\":\"json\",\"language\":\"C++\",\"case\":\"%s\",\"peer\":\"simdjson on-demand\",\"events\":%zu,"
                "\"ns\":%.2f,\"runs\":[",
                name, events, median);
    for (size_t i = 0; i < times.size(); i++) std::printf("%s%.2f", i ? "," : "", times[i]);
    std::printf("],\"hash\":\"%" PRIx64 "\",\"implementation\":\"%s\"}\n", hash,
                simdjson::get_active_implementation()->name().c_str());
    return 0;
}

int main(int count, char **arguments) {
    int runs = count == 4 ? std::atoi(arguments[3]) : 0;
    if (runs < 1) {
        std::fprintf(stderr, "usage: json_simdjson CASE FILE RUNS\n");
        return 2;
    }
    try {
        return run(arguments[1], arguments[2], runs);
    } catch (const simdjson::simdjson_error &error) {
        std::fprintf(stderr, "json_simdjson: %s: %s\n", arguments[2], error.what());
        return 1;
    }
}
