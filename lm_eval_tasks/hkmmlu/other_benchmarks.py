"""The categories of CMMLU's and TMMLU+'s subjects, by which Table 10 and Figure 5 set them beside HKMMLU.

The paper does not say how it sorts CMMLU's 67 subjects. They are sorted here as Table 5 sorts the like of them:
medicine and agriculture with STEM, business and education with the social sciences, law, language and history with the
humanities. TMMLU+'s have the categories of its groups in lm-eval, where business and medicine are with the others.
"""

from __future__ import annotations

from collections.abc import Mapping

from lm_eval_tasks.hkmmlu.summaries import CODES

# Prefix of lm-eval's tasks → category → names behind it.
_SUBJECTS = {
    "cmmlu_": {
        "STEM": """
            agronomy anatomy astronomy clinical_knowledge college_actuarial_science college_engineering_hydrology
            college_mathematics college_medical_statistics college_medicine computer_science computer_security
            conceptual_physics electrical_engineering elementary_information_and_technology elementary_mathematics
            food_science genetics high_school_biology high_school_chemistry high_school_mathematics high_school_physics
            machine_learning nutrition professional_medicine traditional_chinese_medicine virology
        """,
        "Social Sciences": """
            business_ethics chinese_civil_service_exam chinese_foreign_policy chinese_teacher_qualification
            college_education construction_project_management economics education ethnology high_school_geography
            high_school_politics journalism management marketing professional_accounting professional_psychology
            public_relations security_study sociology
        """,
        "Humanities": """
            ancient_chinese arts chinese_food_culture chinese_history chinese_literature college_law elementary_chinese
            international_law jurisprudence logical marxist_theory modern_chinese philosophy professional_law
            world_history world_religions
        """,
        "Other": """
            chinese_driving_rule elementary_commonsense global_facts human_sexuality legal_and_moral_basis
            sports_science
        """,
    },
    "tmmluplus_": {
        "STEM": """
            advance_chemistry basic_medical_science computer_science engineering_math junior_chemistry
            junior_math_exam junior_science_exam linear_algebra organic_chemistry pharmacy physics secondary_physics
            statistics_and_machine_learning tve_mathematics tve_natural_sciences
        """,
        "Social Sciences": """
            chinese_language_and_literature clinical_psychology economics education education_(profession_level)
            educational_psychology geography_of_taiwan human_behavior junior_chinese_exam macroeconomics
            national_protection occupational_therapy_for_psychological_disorders physical_education politic_science
            taiwanese_hokkien three_principles_of_people ttqav2 tve_chinese_language
        """,
        "Humanities": """
            administrative_law anti_money_laundering general_principles_of_law introduction_to_law jce_humanities
            taxation trust_practice
        """,
        "Other": """
            accounting agriculture auditing business_management culinary_skills dentistry finance_banking
            financial_analysis fire_science insurance_studies junior_social_studies logic_reasoning
            management_accounting marketing_management mechanical music nautical_science
            official_document_management optometry pharmacology real_estate technical trade
            traditional_chinese_medicine_clinical_medicine tve_design veterinary_pathology veterinary_pharmacology
        """,
    },
}


def _categories() -> dict[str, str]:
    return {
        prefix + name: CODES[category]
        for prefix, subjects in _SUBJECTS.items()
        for category, names in subjects.items()
        for name in names.split()
    }


CATEGORIES: Mapping[str, str] = _categories()  # task of lm-eval → code, as in `summaries.CODES`
