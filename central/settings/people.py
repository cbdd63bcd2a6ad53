"""How people sign in here, and for how long."""

LOGIN_URL = "web:sign-in"
LOGIN_REDIRECT_URL = "web:home"
LOGOUT_REDIRECT_URL = "web:sign-in"

_PASSWORDS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_PASSWORDS}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_PASSWORDS}.CommonPasswordValidator"},
    {"NAME": f"{_PASSWORDS}.NumericPasswordValidator"},
    {"NAME": f"{_PASSWORDS}.UserAttributeSimilarityValidator"},
]

SESSION_COOKIE_AGE = 14 * 86_400
SESSION_COOKIE_SAMESITE = "Lax"  # a link from elsewhere opens a page; nothing is posted from there
