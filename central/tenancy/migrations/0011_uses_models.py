from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0010_expects_installed"),
    ]

    operations = [
        migrations.AddField(
            model_name="organization",
            name="uses_models",
            field=models.BooleanField(
                db_default=True,
                default=True,
                help_text="Traces use the models of libraries (docs/reference/trace.md#models-of-libraries)",
            ),
        ),
    ]
