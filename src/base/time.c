#include "hydra/base/time.h"

#include <stdio.h>
#include <string.h>

#define DURATION_MAX_MS (3650 * HC_DAY_MS)

/* Days since 1970-01-01 of a proleptic Gregorian date, and back (the usual era arithmetic; no libc time zone in a pure layer). */
static int64_t days_from_civil(int64_t y, int m, int d)
{
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t yoe = y - era * 400;
    int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + doe - 719468;
}

static void civil_from_days(int64_t z, int64_t *ret_y, int *ret_m, int *ret_d)
{
    z += 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    *ret_d = (int)(doy - (153 * mp + 2) / 5 + 1);
    *ret_m = (int)(mp < 10 ? mp + 3 : mp - 9);
    *ret_y = yoe + era * 400 + (*ret_m <= 2);
}

static void put_digits(char *at, int digits, int64_t value)
{
    for (int i = digits - 1; i >= 0; i--) {
        at[i] = (char)('0' + value % 10);
        value /= 10;
    }
}

void hc_time_format(hc_time t, char out[HC_TIME_TEXT_SIZE])
{
    int64_t days = t.ms / HC_DAY_MS;
    int64_t rest = t.ms % HC_DAY_MS;
    if (rest < 0) {
        rest += HC_DAY_MS;
        days -= 1;
    }
    int64_t year;
    int month, day;
    civil_from_days(days, &year, &month, &day);
    memcpy(out, "0000-00-00T00:00:00.000Z", HC_TIME_TEXT_SIZE);
    put_digits(out, 4, year);
    put_digits(out + 5, 2, month);
    put_digits(out + 8, 2, day);
    put_digits(out + 11, 2, rest / HC_HOUR_MS);
    put_digits(out + 14, 2, rest / HC_MINUTE_MS % 60);
    put_digits(out + 17, 2, rest / HC_SECOND_MS % 60);
    put_digits(out + 20, 3, rest % HC_SECOND_MS);
}

static bool take_digits(const char **at, int digits, int *ret_value)
{
    int value = 0;
    for (int i = 0; i < digits; i++) {
        char c = (*at)[i];
        if (c < '0' || c > '9')
            return false;
        value = value * 10 + (c - '0');
    }
    *at += digits;
    *ret_value = value;
    return true;
}

static bool take_char(const char **at, char c)
{
    if (**at != c)
        return false;
    (*at)++;
    return true;
}

static int days_in_month(int year, int month)
{
    static const int days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

enum hc_err hc_time_parse(const char *text, hc_time *ret_time)
{
    int y, mo, d, h, mi, s, ms = 0;
    if (!take_digits(&text, 4, &y) || !take_char(&text, '-') || !take_digits(&text, 2, &mo) || !take_char(&text, '-') ||
        !take_digits(&text, 2, &d) || !take_char(&text, 'T') || !take_digits(&text, 2, &h) || !take_char(&text, ':') ||
        !take_digits(&text, 2, &mi) || !take_char(&text, ':') || !take_digits(&text, 2, &s))
        return HC_ERR_SYNTAX;
    if (take_char(&text, '.')) {
        int scale = 100;
        if (*text < '0' || *text > '9')
            return HC_ERR_SYNTAX;
        for (; *text >= '0' && *text <= '9' && scale > 0; text++, scale /= 10)
            ms += (*text - '0') * scale;
    }
    if (!take_char(&text, 'Z') || *text != '\0')
        return HC_ERR_SYNTAX;
    if (mo < 1 || mo > 12 || d < 1 || d > days_in_month(y, mo) || h > 23 || mi > 59 || s > 59)
        return HC_ERR_RANGE;
    ret_time->ms = days_from_civil(y, mo, d) * HC_DAY_MS + h * HC_HOUR_MS + mi * HC_MINUTE_MS + s * HC_SECOND_MS + ms;
    return HC_OK;
}

enum hc_err hc_duration_parse(const char *text, int64_t *ret_ms)
{
    static const struct { const char *unit; int64_t ms; } units[] = {
        { "ms", 1 }, { "s", HC_SECOND_MS }, { "min", HC_MINUTE_MS }, { "h", HC_HOUR_MS }, { "d", HC_DAY_MS },
    };
    int64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (*at - '0');
        if (value > DURATION_MAX_MS)
            return HC_ERR_RANGE;
    }
    if (at == text)
        return HC_ERR_SYNTAX;
    if (*at == '\0' && value == 0) {
        *ret_ms = 0;
        return HC_OK;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(at, units[i].unit) != 0)
            continue;
        if (value > DURATION_MAX_MS / units[i].ms)
            return HC_ERR_RANGE;
        *ret_ms = value * units[i].ms;
        return HC_OK;
    }
    return HC_ERR_SYNTAX;
}
