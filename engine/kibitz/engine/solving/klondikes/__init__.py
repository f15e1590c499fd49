"""The search in Klondikes: columns with face-down cards, a pack, four suits to be filled.

``tables`` reads a table and writes a line, ``search`` looks for it; ``ways`` says what there is to
be done and ``hopeless`` when to turn back. ``positions`` are made of ``shelves`` (columns),
``packs`` and ``homes``; cards are ``numbers``.
"""
