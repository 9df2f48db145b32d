"""The 66 subjects of HKMMLU, as its paper lists them (Cao et al. 2025, arXiv:2505.02177, Table 5)."""

from __future__ import annotations

import re
from dataclasses import dataclass


def slug(name: str) -> str:
    """A subject's name as a config is named: lower-case ASCII letters and underscores, `hk` for Hong Kong.

    >>> slug("HKDSE Business, Accounting and Financial Studies"), slug("Hong Kong Law")
    ('hkdse_business_accounting_and_financial_studies', 'hk_law')
    """
    words = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")
    return words.replace("hong_kong", "hk")  # the official file names say hk_…


@dataclass(frozen=True)
class Subject:
    """One subject.

    Attributes:
        name: in English, as Table 5 has it.
        name_zh: in Traditional Chinese, likewise; the paper's prompts use it.
        category: one of CATEGORIES.
        printed: how many questions Table 5 counts, those of both splits.
        is_hk_specific: whether Table 5 marks it as specific to Hong Kong.
    """

    name: str
    name_zh: str
    category: str
    printed: int
    is_hk_specific: bool

    @property
    def slug(self) -> str:
        """The name of its config."""
        return slug(self.name)


# A line a subject: name | Traditional Chinese name | questions; # marks those specific to Hong Kong.
_TABLE_5 = {
    "STEM": """
        Basic Medical Science | 基礎醫學 | 1020
        Dentistry | 牙醫學 | 296
        College Math | 大學數學 | 176
        HKDSE Biology | 香港中學文憑考試生物 | 140
        HKDSE Chemistry | 香港中學文憑考試化學 | 254
        HKDSE Information and Communication Technology | 香港中學文憑考試資訊與通訊科技 | 360
        HKDSE Mathematics | 香港中學文憑考試數學 | 184
        HKDSE Physics | 香港中學文憑考試物理 | 103
        Mechanical | 機械與機電概論 | 109
        Optometry | 視光學 | 891
        Organic Chemistry | 有機化學 | 131
        Pharmacology | 藥理學 | 620
        Pharmacy | 藥劑學 | 350
        Physics | 物理 | 115
        Traditional Chinese Medicine Clinical Medicine | 中醫臨床醫學 | 278
        Veterinary Pathology | 獸醫病理學 | 310
        Veterinary Pharmacology | 獸醫藥理學 | 577
        Statistics and Machine Learning | 統計與機器學習 | 244
    """,
    "Social Sciences": """
        Business Management | 企業管理 | 155
        Chinese and World Geography | 中國與世界地理 | 164
        Clinical Psychology | 臨床心理學 | 129
        Economics | 經濟學 | 399
        Educational Psychology | 教育心理學 | 173
        Financial Analysis | 財務分析 | 229
        HKDSE Business, Accounting and Financial Studies | 香港中學文憑考試企業、會計與財務概論 | 226
        HKDSE Geography | 香港中學文憑考試地理 | 148
        HKDSE Tourism and Hospitality | 香港中學文憑考試旅遊與款待 | 238
        HKDSE Economics | 香港中學文憑考試經濟 | 227
        Hong Kong Physical Geography # | 香港自然地理 | 714
        Hong Kong Transport and Infrastructure # | 香港交通與基礎設施 | 463
        Hong Kong Urban and Regional Development # | 香港城市與區域規劃 | 1148
        Insurance Studies | 保險學 | 118
        Management Accounting | 管理會計 | 197
        Marketing Management | 行銷管理 | 106
    """,
    "Humanities": """
        Chinese National Conditions | 中國國情 | 117
        Chinese and World Culture | 中國與世界文化 | 154
        Chinese History | 中國歷史 | 110
        Hong Kong Education # | 香港教育 | 730
        Hong Kong Historical Geography and Development # | 香港歷史地理與發展 | 143
        Hong Kong History # | 香港歷史 | 556
        Hong Kong Cultural Art # | 香港文娱 | 162
        Hong Kong Current Affairs # | 香港時事 | 278
        Hong Kong Celebrity # | 香港名人文化 | 1267
        Hong Kong Government and Political System # | 香港政府機構與政治制度 | 281
        Hong Kong Literature # | 香港文學 | 203
        Hong Kong Politicians and Events # | 香港政治人物與事件 | 268
        Hong Kong Society # | 香港社會 | 515
        Hong Kong Human Geography # | 香港人文地理 | 1251
        Hong Kong Law # | 香港法律 | 412
        Hong Kong Party Politics # | 香港政黨政治 | 1440
        Human Behavior | 人類行為與社會學 | 297
        World Entertainment | 世界文娛 | 720
    """,
    "Other": """
        Commonsense of Science and Technology | 科學技術常識 | 124
        Cultural Commonsense | 文化常識 | 164
        Fire Science | 火災學 | 135
        Hong Kong Events and Festivals # | 香港活動與節慶 | 108
        Hong Kong Entertainment Industry and Management # | 香港文娛產業與經營 | 155
        Hong Kong Film and Television # | 香港影視 | 2201
        Hong Kong Life Knowledge # | 香港生活常識 | 330
        Hong Kong Livelihood # | 香港民生 | 895
        Hong Kong Music # | 香港音樂 | 1035
        Hong Kong Transportation # | 香港交通 | 357
        Logic Reasoning | 邏輯思維 | 159
        Nautical Science | 航海 | 606
        Social Commonsense | 社會常識 | 187
        Technical Skills | 技術工學 | 346
    """,
}


def _subjects() -> dict[str, Subject]:
    found = []
    for category, table in _TABLE_5.items():
        for line in table.strip().splitlines():
            name, name_zh, printed = (cell.strip() for cell in line.split("|"))
            plain = name.removesuffix("#").rstrip()
            found.append(Subject(plain, name_zh, category, int(printed), plain != name))
    return {subject.slug: subject for subject in found}


CATEGORIES = tuple(_TABLE_5)
SUBJECTS = _subjects()  # by slug
