"""Whether a game was what it says: five checks, each by what the server had committed itself to.

``file`` ``chain`` ``openings`` ``deal`` ``rules`` look at a :class:`.recording.Recording`, each at
one thing, and give a :class:`.verdict.Finding`; ``texts`` does the same for a replay text. What
each check says is written in ``protocol/README.md``, section Fairness.

Promises: nothing is taken from a server but what it said; what cannot be known is said to be
``open``, never ``ok``; whatever somebody made up ends in a finding. Never: a card that was not
opened.
"""
