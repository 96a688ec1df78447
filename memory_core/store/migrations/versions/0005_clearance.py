"""The clearance measured each day."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "clearance",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("judge", sa.String, nullable=False, index=True),
        sa.Column("vault", sa.String, nullable=False),
        sa.Column("floor", sa.Float, nullable=False),
        sa.Column("clearance", sa.Float, nullable=False),
        sa.Column("best", sa.Float, nullable=False),
        sa.Column("worst", sa.String, nullable=False),
        sa.Column("questions", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("clearance")
