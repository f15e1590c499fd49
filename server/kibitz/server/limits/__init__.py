"""How much anybody may ask for, hold and keep waiting."""
