// SPDX-License-Identifier: Apache-2.0
//
// What names of bones say: the forms of anatomical atlases, of scans and of animals.
#include "test.h"

#include "fit/body/words.h"

typedef struct expected {
    const char *name;
    sni_bone_kind kind;
    sni_bone_side side;
    int number, level;
    sni_bone_limb limb;
} expected;

static const expected names[] = {
    {"left femur", SNI_BONE_FEMUR, SNI_BONE_LEFT, 0, 0, SNI_LIMB_NONE},
    {"Femoris_R", SNI_BONE_FEMUR, SNI_BONE_RIGHT, 0, 0, SNI_LIMB_NONE},
    {"FMA24474_right_femur", SNI_BONE_FEMUR, SNI_BONE_RIGHT, 0, 0, SNI_LIMB_NONE},
    {"Tibial_tarsal_L", SNI_BONE_TARSAL, SNI_BONE_LEFT, 0, 0, SNI_LIMB_NONE},
    {"Carpal_ulnar_R", SNI_BONE_CARPAL, SNI_BONE_RIGHT, 0, 0, SNI_LIMB_NONE},
    {"navicular bone of left foot", SNI_BONE_TARSAL, SNI_BONE_LEFT, 0, 0, SNI_LIMB_NONE},
    {"navicular bone of left hand", SNI_BONE_CARPAL, SNI_BONE_LEFT, 0, 0, SNI_LIMB_NONE},
    {"sesamoid bone of right foot", SNI_BONE_TARSAL, SNI_BONE_RIGHT, 0, 0, SNI_LIMB_NONE},
    {"left hip bone", SNI_BONE_HIP, SNI_BONE_LEFT, 0, 0, SNI_LIMB_NONE},
    {"os_coxae.R", SNI_BONE_HIP, SNI_BONE_RIGHT, 0, 0, SNI_LIMB_NONE},
    {"sacrum", SNI_BONE_SACRUM, SNI_BONE_NO_SIDE, 0, 0, SNI_LIMB_NONE},
    {"coccyx", SNI_BONE_SACRUM, SNI_BONE_NO_SIDE, 0, 0, SNI_LIMB_NONE},
    {"L_5", SNI_BONE_LUMBAR, SNI_BONE_NO_SIDE, 5, 0, SNI_LIMB_NONE},
    {"T12", SNI_BONE_THORACIC, SNI_BONE_NO_SIDE, 12, 0, SNI_LIMB_NONE},
    {"Vertebra C7", SNI_BONE_CERVICAL, SNI_BONE_NO_SIDE, 7, 0, SNI_LIMB_NONE},
    {"Ca_13", SNI_BONE_CAUDAL, SNI_BONE_NO_SIDE, 13, 0, SNI_LIMB_NONE},
    {"twelfth thoracic vertebra", SNI_BONE_THORACIC, SNI_BONE_NO_SIDE, 12, 0, SNI_LIMB_NONE},
    {"first lumbar vertebra", SNI_BONE_LUMBAR, SNI_BONE_NO_SIDE, 1, 0, SNI_LIMB_NONE},
    {"atlas", SNI_BONE_CERVICAL, SNI_BONE_NO_SIDE, 1, 0, SNI_LIMB_NONE},
    {"axis", SNI_BONE_CERVICAL, SNI_BONE_NO_SIDE, 2, 0, SNI_LIMB_NONE},
    {"Rib_L_10", SNI_BONE_RIB, SNI_BONE_LEFT, 10, 0, SNI_LIMB_NONE},
    {"left fifth costal cartilage", SNI_BONE_RIB, SNI_BONE_LEFT, 5, 0, SNI_LIMB_NONE},
    {"body of sternum", SNI_BONE_STERNUM, SNI_BONE_NO_SIDE, 0, 0, SNI_LIMB_NONE},
    {"Os_metacarpale_III_L", SNI_BONE_METACARPAL, SNI_BONE_LEFT, 3, 0, SNI_LIMB_NONE},
    {"Metatarsi_R_4", SNI_BONE_METATARSAL, SNI_BONE_RIGHT, 4, 0, SNI_LIMB_NONE},
    {"middle phalanx of left middle finger", SNI_BONE_PHALANX, SNI_BONE_LEFT, 3, 2, SNI_LIMB_HAND},
    {"distal phalanx of right thumb", SNI_BONE_PHALANX, SNI_BONE_RIGHT, 1, 3, SNI_LIMB_HAND},
    {"proximal phalanx of left big toe", SNI_BONE_PHALANX, SNI_BONE_LEFT, 1, 1, SNI_LIMB_FOOT},
    {"proximal phalanx of right second toe", SNI_BONE_PHALANX, SNI_BONE_RIGHT, 2, 1, SNI_LIMB_FOOT},
    {"Phalanx_media_digiti_IV_L", SNI_BONE_PHALANX, SNI_BONE_LEFT, 4, 2, SNI_LIMB_NONE},
    {"Phalanges_B_2_L_1", SNI_BONE_PHALANX, SNI_BONE_LEFT, 0, 0, SNI_LIMB_NONE},
    {"left temporal bone", SNI_BONE_TEMPORAL, SNI_BONE_LEFT, 0, 0, SNI_LIMB_NONE},
    {"left inferior nasal concha", SNI_BONE_CRANIUM, SNI_BONE_LEFT, 0, 0, SNI_LIMB_NONE},
    {"MergedSkull", SNI_BONE_CRANIUM, SNI_BONE_NO_SIDE, 0, 0, SNI_LIMB_NONE},
    {"hyoid bone", SNI_BONE_HYOID, SNI_BONE_NO_SIDE, 0, 0, SNI_LIMB_NONE},
    {"Mandible", SNI_BONE_MANDIBLE, SNI_BONE_NO_SIDE, 0, 0, SNI_LIMB_NONE},
    {"upper jaw", SNI_BONE_CRANIUM, SNI_BONE_NO_SIDE, 0, 0, SNI_LIMB_NONE},
    {"CalcaneusLeft", SNI_BONE_TARSAL, SNI_BONE_LEFT, 0, 0, SNI_LIMB_NONE},
    {"part 12", SNI_BONE_UNKNOWN, SNI_BONE_NO_SIDE, 0, 0, SNI_LIMB_NONE},
    {"ribbon", SNI_BONE_UNKNOWN, SNI_BONE_NO_SIDE, 0, 0, SNI_LIMB_NONE},
    {"", SNI_BONE_UNKNOWN, SNI_BONE_NO_SIDE, 0, 0, SNI_LIMB_NONE},
};

static void test_names(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        sni_bone_name found = sni_bone_name_read(names[i].name);
        if (found.kind != names[i].kind || found.side != names[i].side ||
            (names[i].number > 0 && found.number != names[i].number) ||
            found.level != names[i].level || found.limb != names[i].limb) {
            fail_msg("\"%s\": kind %d, side %d, number %d, level %d, limb %d", names[i].name,
                     (int)found.kind, (int)found.side, found.number, found.level, (int)found.limb);
        }
    }
}

static void test_teeth(void **state) {
    (void)state;
    assert_int_equal(sni_bone_name_read("left upper first secondary molar tooth").jaw, 1);
    assert_int_equal(sni_bone_name_read("Incisors_Bottom_R_3").jaw, -1);
    assert_int_equal(sni_bone_name_read("Canine_L").jaw, 0);
    assert_int_equal(sni_bone_name_read("mandibular molar").kind, SNI_BONE_TOOTH);
}

// Names of any length and any bytes are read within bounds.
static void test_odd_names(void **state) {
    (void)state;
    char name[4096];
    snt_random random = {7};
    for (int round = 0; round < 2000; ++round) {
        size_t length = snt_random_u32(&random) % (sizeof name - 1);
        length = round % 2 == 0 ? length % 40 : length;
        for (size_t i = 0; i < length; ++i) {
            name[i] = (char)(1 + snt_random_u32(&random) % 255);
        }
        name[length] = 0;
        sni_bone_name found = sni_bone_name_read(name);
        assert_in_range(found.kind, 0, SNI_BONE_KIND_COUNT - 1);
        assert_in_range(found.level, 0, 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_teeth),
        cmocka_unit_test(test_odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
