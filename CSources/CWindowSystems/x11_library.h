/* The functions of libxcb, libxcb-xinput and libxcb-randr, which are loaded when they are used.
 * Private. */
#ifndef X11_LIBRARY_H
#define X11_LIBRARY_H

#if __has_include(<xcb/xcb.h>) && __has_include(<xcb/xinput.h>) && __has_include(<xcb/randr.h>)
#define X11_HAS_HEADERS 1

#include <stdbool.h>
#include <xcb/randr.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/xinput.h>

/* clang-format off */
#define X11_CORE_FUNCTIONS(row)                                                                    \
    row(xcb_connect) row(xcb_disconnect) row(xcb_parse_display) row(xcb_connection_has_error)      \
    row(xcb_get_file_descriptor) row(xcb_flush) row(xcb_poll_for_event) row(xcb_poll_for_reply)    \
    row(xcb_get_setup) row(xcb_setup_roots_iterator) row(xcb_screen_next) row(xcb_get_extension_data) \
    row(xcb_intern_atom) row(xcb_intern_atom_reply) row(xcb_query_extension)                       \
    row(xcb_query_extension_reply) row(xcb_change_window_attributes) row(xcb_get_window_attributes) \
    row(xcb_get_geometry) row(xcb_get_property) row(xcb_get_property_value)                        \
    row(xcb_get_property_value_length) row(xcb_query_tree) row(xcb_query_tree_children)            \
    row(xcb_query_tree_children_length) row(xcb_translate_coordinates)

#define X11_INPUT_FUNCTIONS(row)                                                                   \
    row(xcb_input_id) row(xcb_input_xi_query_version) row(xcb_input_xi_query_version_reply)        \
    row(xcb_input_xi_select_events) row(xcb_input_xi_query_device)                                 \
    row(xcb_input_xi_query_device_infos_iterator) row(xcb_input_xi_device_info_next)               \
    row(xcb_input_xi_device_info_classes_iterator) row(xcb_input_device_class_next)

#define X11_RANDR_FUNCTIONS(row)                                                                   \
    row(xcb_randr_id) row(xcb_randr_query_version) row(xcb_randr_query_version_reply)              \
    row(xcb_randr_select_input) row(xcb_randr_get_screen_resources_current)                        \
    row(xcb_randr_get_screen_resources_current_reply)                                              \
    row(xcb_randr_get_screen_resources_current_crtcs)                                              \
    row(xcb_randr_get_screen_resources_current_crtcs_length)                                       \
    row(xcb_randr_get_screen_resources_current_outputs)                                            \
    row(xcb_randr_get_screen_resources_current_outputs_length)                                     \
    row(xcb_randr_get_crtc_info) row(xcb_randr_get_output_info)                                    \
    row(xcb_randr_get_output_info_reply) row(xcb_randr_get_output_info_name)                       \
    row(xcb_randr_get_output_info_name_length)
/* clang-format on */

/* One pointer for each function, or extension, with its own name and type. */
typedef struct x11_functions {
#define ROW(name) __typeof__(name) *name;
    X11_CORE_FUNCTIONS(ROW) X11_INPUT_FUNCTIONS(ROW) X11_RANDR_FUNCTIONS(ROW)
#undef ROW
} x11_functions;

/* Loaded by x11_library_load; NULLs before. */
extern x11_functions x11;

/* Returns NULL, or the Debian package of a library that cannot be loaded. */
const char *x11_library_load(void);

#endif
#endif
