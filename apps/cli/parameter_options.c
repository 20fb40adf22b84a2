// SPDX-License-Identifier: Apache-2.0
#include "parameter_options.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// The key with dashes: the option for a key of two words, such as "bone_share", is "--bone-share".
static void write_name(const char *key, char name[CLI_PARAMETER_NAME_BYTES]) {
    snprintf(name, CLI_PARAMETER_NAME_BYTES, "--%s", key);
    for (char *c = name; *c != 0; ++c) {
        *c = (char)(*c == '_' ? '-' : *c);
    }
}

// "open or closed", "auto, skin or straight".
static void write_choices(const char *const *choices, char *text, size_t size) {
    text[0] = 0;
    for (uint32_t i = 0; choices[i] != NULL; ++i) {
        const char *between = i == 0 ? "" : choices[i + 1] != NULL ? ", " : " or ";
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", between, choices[i]);
    }
}

// "0 to 1000 m", or the words.
static void write_range(const sn_parameter *parameter, char *text, size_t size) {
    if (parameter->choices != NULL) {
        write_choices(parameter->choices, text, size);
    } else {
        snprintf(text, size, "%.10g to %.10g%s%s", parameter->low, parameter->high,
                 parameter->unit[0] != 0 ? " " : "", parameter->unit);
    }
}

static void write_standard(const sn_parameter *parameter, char *text, size_t size) {
    if (isnan(parameter->standard)) {
        snprintf(text, size, "computed");
    } else if (parameter->choices != NULL) {
        snprintf(text, size, "%s", parameter->choices[(uint32_t)parameter->standard]);
    } else {
        snprintf(text, size, "%.10g", parameter->standard);
    }
}

static const char *value_of(const sn_parameter *parameter) {
    if (parameter->choices != NULL) {
        return "WORD";
    }
    return parameter->whole ? "N" : strcmp(parameter->unit, "m") == 0 ? "M" : "X";
}

void cli_parameter_options_make(bool (*at)(uint32_t index, sn_parameter *parameter),
                                cli_parameter_options *made) {
    sn_parameter parameter;
    memset(made, 0, sizeof *made);
    for (uint32_t i = 0; i < CLI_PARAMETER_OPTIONS && at(i, &parameter); ++i) {
        char range[128], standard[64];
        write_name(parameter.name, made->names[i]);
        write_range(&parameter, range, sizeof range);
        write_standard(&parameter, standard, sizeof standard);
        snprintf(made->helps[i], sizeof made->helps[i], "%c%s (%s; default: %s)",
                 tolower((unsigned char)parameter.help[0]), parameter.help + 1, range, standard);
        made->options[i] = (cli_option){
            .name = made->names[i], .value = value_of(&parameter), .help = made->helps[i]};
    }
}

static bool is_choice(const sn_parameter *parameter, const char *text) {
    for (uint32_t i = 0; parameter->choices[i] != NULL; ++i) {
        if (strcmp(parameter->choices[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_number(const sn_parameter *parameter, const char *text, double *number) {
    return cli_text_to_double(text, number) && *number >= parameter->low &&
           *number <= parameter->high && (!parameter->whole || *number == floor(*number));
}

// The text of the parameter's option, NULL where the call has none.
static const char *given_text(const cli_call *call, const sn_parameter *parameter) {
    char name[CLI_PARAMETER_NAME_BYTES];
    write_name(parameter->name, name);
    return cli_value(call, name, NULL);
}

static bool refuse(const cli_call *call, const sn_parameter *parameter, const char *text) {
    char name[CLI_PARAMETER_NAME_BYTES], range[128];
    write_name(parameter->name, name);
    write_range(parameter, range, sizeof range);
    cli_wrong_usage(call, "%s takes %s%s, not \"%s\"", name,
                    parameter->choices != NULL ? ""
                    : parameter->whole         ? "a whole number from "
                                               : "a number from ",
                    range, text);
    return false;
}

bool cli_parameter_parse_number(const cli_call *call, const sn_parameter *parameter,
                                double *value) {
    const char *text = given_text(call, parameter);
    double number;
    if (text == NULL) {
        return true;
    }
    if (!is_number(parameter, text, &number)) {
        return refuse(call, parameter, text);
    }
    *value = number;
    return true;
}

bool cli_parameter_parse(const cli_call *call, const sn_parameter *parameter, sn_json *json,
                         sn_value *object) {
    const char *text = given_text(call, parameter);
    if (text == NULL) {
        return true;
    }
    double number = 0;
    bool words = parameter->choices != NULL;
    if (words ? !is_choice(parameter, text) : !is_number(parameter, text, &number)) {
        return refuse(call, parameter, text);
    }
    sn_value *added = words ? sn_json_add_string(json, object, parameter->name, text)
                            : sn_json_add_number(json, object, parameter->name, number);
    if (added == NULL) {
        fprintf(stderr, "sinew: out of memory\n");
    }
    return added != NULL;
}
