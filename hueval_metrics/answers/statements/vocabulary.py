"""The words that may stand between a blank and its answer, in English and Hungarian; all in small letters."""

from __future__ import annotations

_SAID = """
the a an option options answer answers word words letter choice term one correct best right appropriate suitable fitting
corresponding proper matching definitely clearly likely probably most therefore then indeed also still again actually
simply just obviously certainly here thus hence so now with of this that it which to be been i think believe filled
blank position space slot spot good only logically naturally final ,
helyes válasz válasza megoldás megoldása opció betű szó kifejezés is így tehát ezért szerintem valószínűleg biztosan
szóval akkor mégis végül inkább valójában üres hely illő legjobb ide maga csak egyértelműen nyilván megfelelő végleges
ez ott
"""
_IS = """
: = → -> => ⇒ | – — - is are was should must would will be becomes gets takes seems fits requires needs corresponds
matches equals remains stays has uses goes it's that's to
a az pedig lesz legyen marad helyére helyre helyén helyen ide illik kerül kell jön való tartozik
"""
_GOES_TO = """
for in into to fits matches fills fill goes belongs corresponds is → -> => =
illik kerül jön tartozik való lesz a az
"""
_SAID_OF_FIT = """
the correct best right answer option choice seems seem to be perfectly well blank position place slot here would should
must used placed go at with makes sense most likely appropriate suitable definitely fit that also word term and logical
helyes üres hely helyre jól pontosan legjobban
"""
_CONCLUSION = """
so therefore thus hence answer answers that's it's that it this choose choosing chose pick select selecting
leaves remains tehát így ezért szóval válasz megoldás válaszom választom ez marad
"""
_SAID_OF_CONCLUSION = """
is must be should would has will go going corresponds matches to say i i'll i'm i'd let's we we'll my
a az
"""

IS = frozenset(_IS.split())  # relates a blank to its answer
SAID = frozenset([*_SAID.split(), *IS, "as", "have", "like", "fit"])  # all that may stand between them
GOES_TO = frozenset(_GOES_TO.split())  # relates an answer to its blank
SAID_OF_FIT = frozenset([*_SAID_OF_FIT.split(), *GOES_TO])
CONCLUSION = frozenset(_CONCLUSION.split())  # draws a conclusion without naming the blank
SAID_OF_CONCLUSION = frozenset([*_SAID_OF_CONCLUSION.split(), *_SAID.split(), *CONCLUSION])
