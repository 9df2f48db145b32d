from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0003_licence"),
    ]

    operations = [
        migrations.AddField(
            model_name="season",
            name="by_hand",
            field=models.JSONField(help_text="rows of `hueval site import`: [{model, source, scores}]", null=True),
        ),
    ]
