"""The search for certificates: shortcuts, a perceptron, the nearest point, a linear programme.

Nothing here is believed; the checker verifies what it finds.
"""
