import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0004_by_hand"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Phase",
            fields=[
                ("board", models.CharField(max_length=80, primary_key=True, serialize=False, verbose_name="Task")),
                ("opens", models.DateTimeField(null=True, verbose_name="Opens")),
                ("freezes", models.DateTimeField(null=True, verbose_name="Takes submissions until")),
                ("closes", models.DateTimeField(null=True, verbose_name="Closes")),
                ("opened", models.DateTimeField(null=True, verbose_name="Results opened")),
                (
                    "opened_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="Opened by",
                    ),
                ),
                (
                    "season",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="phase", to="submissions.season"
                    ),
                ),
            ],
            options={
                "verbose_name": "phase",
                "verbose_name_plural": "Phases",
            },
        ),
    ]
