-- +goose Up

-- What is sold. Stripe's ids are not here: they differ between test and live mode
-- and between installations, so configuration has them.
CREATE TABLE plans (
    id              text    PRIMARY KEY CHECK (id ~ '^[a-z]{1,32}$'),
    -- Cheapest first.
    position        integer NOT NULL UNIQUE,
    name            text    NOT NULL,
    description     text    NOT NULL,
    -- Hundredths of a credit; 0 where it is agreed on.
    monthly_credits bigint  NOT NULL CHECK (monthly_credits >= 0),
    -- US cents; 0 where it is agreed on.
    price_monthly   bigint  NOT NULL CHECK (price_monthly >= 0),
    -- Sold by talking to sales instead of a checkout.
    contact_sales   boolean NOT NULL,
    -- [{"text": "…", "info": "…"}]; info says more and may be missing.
    features        jsonb   NOT NULL CHECK (jsonb_typeof(features) = 'array')
);

INSERT INTO plans (id, position, name, description, monthly_credits, price_monthly, contact_sales, features) VALUES
('pro', 1, 'Pro', 'Everything you need to turn your idea into an app.', 5000, 2500, false, '[
    {"text": "Swift UI support"},
    {"text": "AI Design System", "info": "Screens share colours, type and components from the start."},
    {"text": "Priority Support"}
]'),
('business', 2, 'Business', 'For larger apps, or several at once.', 10000, 5000, false, '[
    {"text": "Everything in Pro"},
    {"text": "Twice the monthly credits"},
    {"text": "Move up from Pro at any time", "info": "You pay the difference for the rest of the month and get the additional credits at once."}
]'),
('enterprise', 3, 'Enterprise', 'Custom plans with flexible billing for your organisation.', 0, 0, true, '[
    {"text": "Dedicated support"},
    {"text": "Onboarding services"},
    {"text": "Custom integrations"},
    {"text": "Group-based access control"},
    {"text": "Custom design systems"}
]');
