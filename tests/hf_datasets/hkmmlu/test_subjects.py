from __future__ import annotations

import re

from hf_datasets.hkmmlu.subjects import CATEGORIES, SUBJECTS

HK_SPECIFIC = {  # those that Table 5 marks
    *("hk_physical_geography", "hk_transport_and_infrastructure", "hk_urban_and_regional_development"),
    *("hk_education", "hk_historical_geography_and_development", "hk_history", "hk_cultural_art"),
    *("hk_current_affairs", "hk_celebrity", "hk_government_and_political_system", "hk_literature"),
    *("hk_politicians_and_events", "hk_society", "hk_human_geography", "hk_law", "hk_party_politics"),
    *("hk_events_and_festivals", "hk_entertainment_industry_and_management", "hk_film_and_television"),
    *("hk_life_knowledge", "hk_livelihood", "hk_music", "hk_transportation"),
}


def test_the_four_categories_are_those_of_table_5():
    found = {category: [s.printed for s in SUBJECTS.values() if s.category == category] for category in CATEGORIES}
    # Table 6 prints 16 and 4,834 beside the humanities, 18 and 8,904 beside the social sciences: names swapped.
    assert {category: (len(counts), sum(counts)) for category, counts in found.items()} == {
        "STEM": (18, 6_158),
        "Social Sciences": (16, 4_834),
        "Humanities": (18, 8_904),
        "Other": (14, 6_802),
    }


def test_all_subjects_add_up_to_the_number_in_the_abstract():
    assert (len(SUBJECTS), sum(subject.printed for subject in SUBJECTS.values())) == (66, 26_698)


def test_23_subjects_are_specific_to_hong_kong():
    specific = {slug: subject for slug, subject in SUBJECTS.items() if subject.is_hk_specific}
    assert set(specific) == HK_SPECIFIC
    assert len(specific) == 23
    assert sum(subject.printed for subject in specific.values()) == 14_912  # §2, last sentence


def test_slugs_are_fit_for_a_file_name():
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", slug) for slug in SUBJECTS)
    assert SUBJECTS["hk_film_and_television"].name == "Hong Kong Film and Television"
    assert SUBJECTS["hk_film_and_television"].name_zh == "香港影視"
    assert len({subject.name_zh for subject in SUBJECTS.values()}) == 66
