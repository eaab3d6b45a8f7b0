-- +goose Up

-- Sign-ups by day are counted in waitlist_users, by the index that the list is read by.
DROP TABLE signup_daily;
