/* Durations as text with a unit. */
#include "settle_policy.h"

#define UNITS 7
#define FRACTION_DIGITS 18
#define GIGA ((uint64_t)1000000000)

/* Longer units first where one ends as another does. More wholes than `most` need more than 64 bits. */
#define UNIT(name, ns)                                                                                                 \
    { name, sizeof name - 1, ns, UINT64_MAX / (ns) }
static const struct {
    char name[4];
    size_t count;
    uint64_t ns, most;
} units[UNITS] = {UNIT("ns", 1),          UNIT("us", 1000), UNIT("\xc2\xb5s", 1000), UNIT("ms", 1000000),
                  UNIT("min", 60 * GIGA), UNIT("s", GIGA),  UNIT("h", 3600 * GIGA)};

static uint64_t power_of_ten(unsigned power) {
    uint64_t result = 1;
    while (power-- > 0) result *= 10;
    return result;
}

static bool is_zero(const char *text, size_t count) {
    size_t points = 0;
    for (size_t i = 0; i < count; i++) {
        if (text[i] != '0' && text[i] != '.') return false;
        points += text[i] == '.';
    }
    return points <= 1 && count > points;
}

/* The unit at the text's end; UNITS for none. */
static size_t unit_of(const char *text, size_t count) {
    size_t unit = 0;
    while (unit < UNITS && (units[unit].count > count ||
                            memcmp(text + count - units[unit].count, units[unit].name, units[unit].count) != 0)) {
        unit++;
    }
    return unit;
}

/* A fraction of 18 digits in nanoseconds of a unit, rounded to the nearest. */
static uint64_t fraction_ns(uint64_t digits, uint64_t unit_ns) {
    if (unit_ns < GIGA) {
        uint64_t scale = GIGA * GIGA / unit_ns;
        return digits / scale + (digits % scale >= scale / 2);
    }
    uint64_t times = unit_ns / GIGA, low = digits % GIGA * times;
    return digits / GIGA * times + low / GIGA + (low % GIGA >= GIGA / 2);
}

bool settle_duration_read(const char *text, size_t count, uint64_t *duration_ns) {
    *duration_ns = 0;
    if (is_zero(text, count)) return true;
    size_t unit = unit_of(text, count);
    if (unit == UNITS) return false;
    uint64_t whole = 0, fraction = 0;
    size_t digits = 0, decimals = 0;
    bool is_fraction = false;
    for (size_t i = 0; i < count - units[unit].count; i++) {
        if (text[i] == '.' && !is_fraction) {
            is_fraction = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9') return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        digits++;
        if (!is_fraction) whole = whole <= (UINT64_MAX - digit) / 10 ? whole * 10 + digit : UINT64_MAX;
        /* Further digits are below any unit's rounding. */
        else if (decimals < FRACTION_DIGITS) fraction = fraction * 10 + digit, decimals++;
    }
    if (digits == 0) return false;
    while (decimals++ < FRACTION_DIGITS) fraction *= 10;
    uint64_t rest = fraction_ns(fraction, units[unit].ns);
    const bool fits = whole <= units[unit].most && whole * units[unit].ns <= UINT64_MAX - rest;
    *duration_ns = fits ? whole * units[unit].ns + rest : UINT64_MAX;
    return true;
}

static size_t write_digits(uint64_t number, size_t least, char *text) {
    size_t count = 1;
    for (uint64_t rest = number / 10; rest > 0 || count < least; rest /= 10) count++;
    for (size_t i = count; i-- > 0; number /= 10) text[i] = (char)('0' + number % 10);
    return count;
}

/* Of the longest of ns, us, ms and s that is no longer; of s for zero. */
static unsigned power_of(uint64_t duration_ns) {
    unsigned power = duration_ns == 0 ? 9 : 0;
    while (power < 9 && duration_ns >= power_of_ten(power + 3)) power += 3;
    return power;
}

/* So many units of 10^power ns, without needless zeros. */
static size_t write_units(uint64_t duration_ns, unsigned power, char *text) {
    uint64_t unit = power_of_ten(power);
    size_t count = write_digits(duration_ns / unit, 1, text);
    if (duration_ns % unit != 0) {
        text[count++] = '.';
        count += write_digits(duration_ns % unit, power, text + count);
        while (text[count - 1] == '0') count--;
    }
    return count;
}

static size_t add_name(char *text, size_t count, const char *name) {
    while (*name) text[count++] = *name++;
    return count;
}

size_t settle_duration_write(uint64_t duration_ns, char *text) {
    static const char *const names[] = {"ns", "us", "ms", "s"};
    const unsigned power = power_of(duration_ns);
    return add_name(text, write_units(duration_ns, power, text), names[power / 3]);
}

/* To a hundredth of a second, or to a tenth of a shorter unit, which may be one of the next. */
static uint64_t rounded(uint64_t duration_ns) {
    const unsigned power = power_of(duration_ns);
    const uint64_t step = power == 0 ? 1 : power_of_ten(power < 9 ? power - 1 : power - 2);
    return (duration_ns + step / 2) / step * step;
}

size_t settle_duration_say(uint64_t duration_ns, int form, char *text) {
    static const char *const names[] = {" ns", " \xc2\xb5s", " ms", " s"};
    const bool is_rounded = form == SETTLE_DURATION_ROUNDED, has_hours = duration_ns >= 3600 * GIGA;
    if (is_rounded && duration_ns < 60 * GIGA) duration_ns = rounded(duration_ns);
    if (is_rounded && duration_ns >= 60 * GIGA) {
        uint64_t lesser = duration_ns / (has_hours ? 60 * GIGA : GIGA);
        size_t count = add_name(text, write_digits(lesser / 60, 1, text), has_hours ? " h " : " min ");
        count += write_digits(lesser % 60, 1, text + count);
        return add_name(text, count, has_hours ? " min" : " s");
    }
    const unsigned power = form == SETTLE_DURATION_SECONDS ? 9 : power_of(duration_ns);
    return add_name(text, write_units(duration_ns, power, text), names[power / 3]);
}
