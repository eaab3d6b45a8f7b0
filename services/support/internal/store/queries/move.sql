-- name: MoveTickets :exec
UPDATE tickets SET user_email = @email WHERE id = ANY (@ids::uuid[]) AND user_email <> @email;

-- name: MoveAssignee :exec
UPDATE tickets SET assignee_email = @email WHERE assignee_id = @account::uuid AND assignee_email <> @email;

-- name: MoveStaff :exec
UPDATE desk_staff SET email = @email WHERE id = @account AND email <> @email;
