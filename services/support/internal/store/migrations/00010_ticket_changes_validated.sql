-- +goose Up
ALTER TABLE ticket_changes VALIDATE CONSTRAINT ticket_changes_field_check;
