"""Questions of developers and agents: is the right place on top?"""
