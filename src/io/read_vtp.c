// SPDX-License-Identifier: Apache-2.0
//
// VTK XML PolyData (.vtp): points, polygons and triangle strips. Pieces follow each other in one
// mesh. Polygons and the order of vertices stay as given; a strip becomes its triangles, each
// turned as the first. Vertices and lines (Verts, Lines) and all data on points and cells are left
// out. VTK has no unit: lengths stay as they are.
//
// The format: "VTK XML File Formats" in the VTK User's Guide.
#include "base/number.h"
#include "io/import.h"
#include "io/vtk_array.h"

#include <math.h>
#include <string.h>

typedef struct vtp_piece {
    const sni_xml_element *element;
    uint32_t point_count;
    sni_vtk_array points;
    // Polygons, then strips: offsets[i] is where cell i ends in `connectivity`.
    struct vtp_cells {
        uint32_t count;
        sni_vtk_array connectivity, offsets;
    } polys, strips;
} vtp_piece;

typedef struct vtp_cells vtp_cells;

typedef struct vtp_reader {
    sn_context *context;
    sni_vtk_encoding encoding;
    uint32_t piece_count;
    vtp_piece *pieces;
    uint64_t vertex_count, face_count, corner_count;
} vtp_reader;

// ---------------------------------------------------------------------------------------------
// Appended data: raw bytes are no XML, so that the parser sees the file only as far as they begin.

static const char appended_tag[] = "<AppendedData";

// The text that ends a file, read backwards over blanks: "</AppendedData> </VTKFile>".
static bool step_back(const char *bytes, size_t *size, const char *text) {
    while (*size > 0 &&
           (sni_text_is_blank(bytes[*size - 1]) || sni_text_is_break(bytes[*size - 1]))) {
        --*size;
    }
    size_t length = strlen(text);
    if (*size < length || memcmp(bytes + *size - length, text, length) != 0) {
        return false;
    }
    *size -= length;
    return true;
}

static const char *find_bytes(const char *bytes, size_t size, const char *text) {
    size_t length = strlen(text);
    const char *end = bytes + size;
    for (const char *at = bytes; (size_t)(end - at) >= length; ++at) {
        at = memchr(at, text[0], (size_t)(end - at) - length + 1);
        if (at == NULL) {
            return NULL;
        }
        if (memcmp(at, text, length) == 0) {
            return at;
        }
    }
    return NULL;
}

typedef struct appended_part {
    size_t head; // bytes of the file before its contents, which begin with an underscore
    const char *bytes;
    size_t size;
} appended_part;

static sn_status find_appended_part(const sni_source *source, appended_part *part,
                                    sn_error *error) {
    *part = (appended_part){.head = source->size};
    const char *end = source->bytes + source->size;
    const char *tag = find_bytes(source->bytes, source->size, appended_tag);
    const char *close = tag != NULL ? memchr(tag, '>', (size_t)(end - tag)) : NULL;
    if (close == NULL) {
        return SN_OK; // none, or cut within the tag, which the parser then tells
    }
    part->head = (size_t)(close + 1 - source->bytes);
    const char *start = close + 1;
    while (start < end && (sni_text_is_blank(*start) || sni_text_is_break(*start))) {
        ++start;
    }
    size_t size = source->size - (size_t)(start - source->bytes);
    if (!step_back(start, &size, "</VTKFile>") || !step_back(start, &size, "</AppendedData>")) {
        return sni_fail(error, SN_SYNTAX,
                        "the file ends within its appended data: </AppendedData></VTKFile> are "
                        "missing");
    }
    if (size == 0 || *start != '_') {
        return sni_fail(error, SN_SYNTAX, "the appended data does not begin with \"_\"");
    }
    part->bytes = start + 1;
    part->size = size - 1;
    return SN_OK;
}

// The file's elements without the contents of AppendedData.
static sn_status parse_head(const sni_source *source, const appended_part *part, sni_xml **xml,
                            sn_error *error) {
    if (part->bytes == NULL) {
        return sni_xml_parse(source->context, source->bytes, source->size, xml, error);
    }
    static const char tail[] = "</AppendedData></VTKFile>";
    sn_status status = SN_OK;
    char *head = NULL;
    SNI_NEW(source->context, head, part->head + sizeof tail);
    memcpy(head, source->bytes, part->head);
    memcpy(head + part->head, tail, sizeof tail);
    SN_TRY(sni_xml_parse(source->context, head, part->head + sizeof tail - 1, xml, error));
cleanup:
    sni_free(source->context, head);
    return status;
}

static sn_status set_appended(const sni_xml_element *file, const appended_part *part,
                              sni_vtk_encoding *encoding, sn_error *error) {
    const sni_xml_element *element = sni_xml_child(file, "AppendedData");
    if (element == NULL || part->bytes == NULL) {
        return SN_OK;
    }
    const char *kind = sni_xml_value(element, "encoding");
    encoding->appended_base64 = kind != NULL && strcmp(kind, "base64") == 0;
    if (kind == NULL || (!encoding->appended_base64 && strcmp(kind, "raw") != 0)) {
        return sni_xml_fail(element, error, SN_SYNTAX,
                            "expected the encoding raw or base64, found \"%.40s\"",
                            kind != NULL ? kind : "");
    }
    encoding->appended = part->bytes;
    encoding->appended_size = part->size;
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Pieces

static sn_status read_count(const sni_xml_element *piece, const char *name, uint32_t *count,
                            sn_error *error) {
    const char *text = sni_xml_value(piece, name);
    *count = 0;
    if (text == NULL) {
        return SN_OK;
    }
    const char *end = text + strlen(text);
    if (sni_number_read_uint(text, end, count) != end) {
        return sni_xml_fail(piece, error, SN_SYNTAX, "expected a count as %s, found \"%.40s\"",
                            name, text);
    }
    return SN_OK;
}

static sn_status check_length(const sni_vtk_array *array, uint64_t expected, const char *what,
                              sn_error *error) {
    if (array->count == expected) {
        return SN_OK;
    }
    return sni_xml_fail(array->element, error, SN_INVALID, "%zu numbers for %s, expected %llu",
                        array->count, what, (unsigned long long)expected);
}

static sn_status read_points(vtp_reader *vtp, vtp_piece *piece, sn_error *error) {
    sn_status status = SN_OK;
    const sni_xml_element *array =
        sni_xml_child(sni_xml_child(piece->element, "Points"), "DataArray");
    SN_TRY(read_count(piece->element, "NumberOfPoints", &piece->point_count, error));
    if (array == NULL) {
        if (piece->point_count > 0) {
            return sni_xml_fail(piece->element, error, SN_SYNTAX,
                                "%u points, but no array of Points", piece->point_count);
        }
        return SN_OK;
    }
    const char *width = sni_xml_value(array, "NumberOfComponents");
    if (width != NULL && strcmp(width, "3") != 0) {
        return sni_xml_fail(array, error, SN_INVALID, "points of %.20s numbers, expected 3", width);
    }
    SN_TRY(sni_vtk_array_read(&vtp->encoding, array, &piece->points, error));
    SN_TRY(check_length(&piece->points, 3 * (uint64_t)piece->point_count, "the points", error));
cleanup:
    return status;
}

static const sni_xml_element *find_array(const sni_xml_element *cells, const char *name) {
    const sni_xml_element *array = sni_xml_child(cells, "DataArray");
    while (array != NULL) {
        const char *other = sni_xml_value(array, "Name");
        if (other != NULL && strcmp(other, name) == 0) {
            return array;
        }
        array = sni_xml_next(array, "DataArray");
    }
    return NULL;
}

static sn_status read_indices(vtp_reader *vtp, const sni_xml_element *cells, const char *name,
                              sni_vtk_array *array, sn_error *error) {
    const sni_xml_element *element = find_array(cells, name);
    if (element == NULL) {
        return sni_xml_fail(cells, error, SN_SYNTAX, "there is no array \"%s\"", name);
    }
    sn_status status = sni_vtk_array_read(&vtp->encoding, element, array, error);
    if (status == SN_OK && !array->integer) {
        status = sni_xml_fail(element, error, SN_INVALID, "indices that are no integers");
    }
    return status;
}

// Ends of cells rise and the last is the number of corners.
static sn_status check_offsets(const vtp_cells *cells, sn_error *error) {
    double last = 0;
    for (uint32_t i = 0; i < cells->count; ++i) {
        double end = cells->offsets.values[i];
        if (!(end > last) || end > (double)cells->connectivity.count) {
            return sni_xml_fail(cells->offsets.element, error, SN_INVALID,
                                "cell %u ends at corner %.17g, behind %.17g of %zu corners", i, end,
                                last, cells->connectivity.count);
        }
        last = end;
    }
    if (last != (double)cells->connectivity.count) {
        return sni_xml_fail(cells->connectivity.element, error, SN_INVALID,
                            "%zu corners, but the cells end at %.17g", cells->connectivity.count,
                            last);
    }
    return SN_OK;
}

static sn_status check_connectivity(const vtp_piece *piece, const vtp_cells *cells,
                                    sn_error *error) {
    for (size_t i = 0; i < cells->connectivity.count; ++i) {
        double point = cells->connectivity.values[i];
        if (!(point >= 0) || point >= (double)piece->point_count) {
            return sni_xml_fail(cells->connectivity.element, error, SN_INVALID,
                                "corner %zu is point %.17g, but there are %u points", i, point,
                                piece->point_count);
        }
    }
    return SN_OK;
}

static sn_status read_cells(vtp_reader *vtp, const vtp_piece *piece, const char *name,
                            const char *count_name, vtp_cells *cells, sn_error *error) {
    sn_status status = SN_OK;
    const sni_xml_element *element = sni_xml_child(piece->element, name);
    SN_TRY(read_count(piece->element, count_name, &cells->count, error));
    if (cells->count == 0) {
        return SN_OK;
    }
    if (element == NULL) {
        return sni_xml_fail(piece->element, error, SN_SYNTAX, "%s is %u, but there is no %s",
                            count_name, cells->count, name);
    }
    SN_TRY(read_indices(vtp, element, "connectivity", &cells->connectivity, error));
    SN_TRY(read_indices(vtp, element, "offsets", &cells->offsets, error));
    SN_TRY(check_length(&cells->offsets, cells->count, count_name, error));
    SN_TRY(check_offsets(cells, error));
    SN_TRY(check_connectivity(piece, cells, error));
cleanup:
    return status;
}

// The corners of a cell: [begin, end) of its connectivity.
static size_t cell_begin(const vtp_cells *cells, uint32_t cell) {
    return cell > 0 ? (size_t)cells->offsets.values[cell - 1] : 0;
}

static size_t cell_end(const vtp_cells *cells, uint32_t cell) {
    return (size_t)cells->offsets.values[cell];
}

static sn_status read_piece(vtp_reader *vtp, vtp_piece *piece, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(read_points(vtp, piece, error));
    SN_TRY(read_cells(vtp, piece, "Polys", "NumberOfPolys", &piece->polys, error));
    SN_TRY(read_cells(vtp, piece, "Strips", "NumberOfStrips", &piece->strips, error));
    vtp->vertex_count += piece->point_count;
    vtp->face_count += piece->polys.count;
    vtp->corner_count += piece->polys.connectivity.count;
    for (uint32_t i = 0; i < piece->strips.count; ++i) {
        size_t corners = cell_end(&piece->strips, i) - cell_begin(&piece->strips, i);
        size_t triangles = corners > 2 ? corners - 2 : 0;
        vtp->face_count += triangles;
        vtp->corner_count += 3 * triangles;
    }
    if (vtp->vertex_count >= SN_NONE || vtp->corner_count >= SN_NONE) {
        status =
            sni_xml_fail(piece->element, error, SN_LIMIT, "more than 2^32 - 2 points or corners");
    }
cleanup:
    return status;
}

static sn_status read_pieces(vtp_reader *vtp, const sni_xml_element *data, sn_error *error) {
    sn_status status = SN_OK;
    const sni_xml_element *element = sni_xml_child(data, "Piece");
    if (element == NULL) {
        return sni_xml_fail(data, error, SN_SYNTAX, "there is no Piece");
    }
    SNI_NEW_ZERO(vtp->context, vtp->pieces, data->child_count);
    for (; element != NULL; element = sni_xml_next(element, "Piece")) {
        vtp_piece *piece = &vtp->pieces[vtp->piece_count++];
        piece->element = element;
        SN_TRY(read_piece(vtp, piece, error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// The mesh

typedef struct mesh_filler {
    sn_mesh *mesh;
    uint32_t first_vertex; // of the piece
    uint32_t vertex, face, corner;
} mesh_filler;

static void put_corner(mesh_filler *filler, const vtp_cells *cells, size_t corner) {
    filler->mesh->corners[filler->corner++] =
        filler->first_vertex + (uint32_t)cells->connectivity.values[corner];
}

static void end_face(mesh_filler *filler) {
    filler->mesh->face_offsets[++filler->face] = filler->corner;
}

static void put_polys(mesh_filler *filler, const vtp_cells *polys) {
    for (uint32_t i = 0; i < polys->count; ++i) {
        for (size_t c = cell_begin(polys, i); c < cell_end(polys, i); ++c) {
            put_corner(filler, polys, c);
        }
        end_face(filler);
    }
}

// Triangle i of a strip has its corners i, i + 1, i + 2; every other one has the first two
// exchanged, so that all are turned alike.
static void put_strips(mesh_filler *filler, const vtp_cells *strips) {
    for (uint32_t i = 0; i < strips->count; ++i) {
        size_t begin = cell_begin(strips, i);
        for (size_t c = begin; c + 2 < cell_end(strips, i); ++c) {
            size_t odd = (c - begin) % 2;
            put_corner(filler, strips, c + odd);
            put_corner(filler, strips, c + 1 - odd);
            put_corner(filler, strips, c + 2);
            end_face(filler);
        }
    }
}

static sn_status put_points(mesh_filler *filler, const vtp_piece *piece, sn_error *error) {
    float *positions = filler->mesh->positions + 3 * (size_t)filler->vertex;
    for (size_t i = 0; i < piece->points.count; ++i) {
        positions[i] = (float)piece->points.values[i];
        if (!isfinite(positions[i])) {
            return sni_xml_fail(piece->points.element, error, SN_INVALID,
                                "point %zu has the %c coordinate %.9g", i / 3, "xyz"[i % 3],
                                piece -> points.values[i]);
        }
    }
    filler->vertex += piece->point_count;
    return SN_OK;
}

static sn_status add_mesh(vtp_reader *vtp, const char *path, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    mesh_filler filler = {0};
    char *name = sni_name_of_file(vtp->context, path);
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(sn_mesh_create(vtp->context, name, (uint32_t)vtp->vertex_count,
                          (uint32_t)vtp->face_count, (uint32_t)vtp->corner_count, &filler.mesh,
                          error));
    for (uint32_t i = 0; i < vtp->piece_count; ++i) {
        filler.first_vertex = filler.vertex;
        SN_TRY(put_points(&filler, &vtp->pieces[i], error));
        put_polys(&filler, &vtp->pieces[i].polys);
        put_strips(&filler, &vtp->pieces[i].strips);
    }
    status = sni_import_add_mesh(import, filler.mesh, SN_NONE, error);
    filler.mesh = NULL;
cleanup:
    sn_mesh_destroy(filler.mesh);
    sni_free(vtp->context, name);
    return status;
}

static void free_pieces(vtp_reader *vtp) {
    for (uint32_t i = 0; i < vtp->piece_count; ++i) {
        vtp_piece *piece = &vtp->pieces[i];
        sni_vtk_array_deinit(vtp->context, &piece->points);
        sni_vtk_array_deinit(vtp->context, &piece->polys.connectivity);
        sni_vtk_array_deinit(vtp->context, &piece->polys.offsets);
        sni_vtk_array_deinit(vtp->context, &piece->strips.connectivity);
        sni_vtk_array_deinit(vtp->context, &piece->strips.offsets);
    }
    sni_free(vtp->context, vtp->pieces);
}

static sn_status check_root(const sni_xml_element *file, sn_error *error) {
    const char *type = sni_xml_value(file, "type");
    if (!sni_xml_is(file, "VTKFile")) {
        return sni_xml_fail(file, error, SN_SYNTAX, "expected a VTKFile, found %.60s", file->name);
    }
    if (type == NULL || strcmp(type, "PolyData") != 0) {
        return sni_xml_fail(file, error, SN_UNSUPPORTED,
                            "a VTK file of the type \"%.40s\"; PolyData is read",
                            type != NULL ? type : "");
    }
    if (sni_xml_child(file, "PolyData") == NULL) {
        return sni_xml_fail(file, error, SN_SYNTAX, "there is no PolyData");
    }
    return SN_OK;
}

sn_status sni_read_vtp(const sni_source *source, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    vtp_reader vtp = {.context = source->context};
    appended_part part;
    sni_xml *xml = NULL;
    SN_TRY(find_appended_part(source, &part, error));
    SN_TRY(parse_head(source, &part, &xml, error));
    const sni_xml_element *file = sni_xml_root(xml);
    SN_TRY(check_root(file, error));
    SN_TRY(sni_vtk_encoding_read(source->context, file, &vtp.encoding, error));
    SN_TRY(set_appended(file, &part, &vtp.encoding, error));
    SN_TRY(read_pieces(&vtp, sni_xml_child(file, "PolyData"), error));
    SN_TRY(add_mesh(&vtp, source->name, import, error));
cleanup:
    free_pieces(&vtp);
    sni_xml_destroy(xml);
    return status;
}
