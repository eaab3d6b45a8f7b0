import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import { type FormEvent, useId, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogForm } from '@/components/app/dialog'
import { toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import { useAuth } from '@/features/session/use-auth'
import { useSetUserRolesMutation } from '@/lib/api/identity-api'
import { isProblem, problemText } from '@/lib/api/problem'
import type { AdminUser, Role } from '@/lib/api/types'
import { cleanText } from '@/lib/clean-text'
import { titled } from '@/lib/words'
import { Checkbox } from '../checkbox'
import { ReasonField } from '../reason-field'
import { useStaffForm } from '../use-staff-draft'
import { roles } from './user-filter'

const meanings: Record<Role, string> = {
  admin: 'Can see and change everything in these tools.',
  moderator: 'Can read tickets, users and the waitlist, and answer tickets.',
  user: 'Everyone with an account.',
}

const isConflict = (error: unknown) =>
  isProblem(error) && error.kind === 'answer' && error.code === 'roles_changed'

interface RolesDialogProps {
  user: AdminUser
  onClose: () => void
}

/** The roles of one account, to be changed together. What the server refuses it says itself. */
export function RolesDialog({ user, onClose }: RolesDialogProps) {
  const auth = useAuth()
  const [open, setOpen] = useState(true)
  const { chosen, choose, reason, explain, forget } = useRolesDraft(user)
  // What another admin changes meanwhile is not overwritten before one is told of it.
  const [begun] = useState(user.roles)
  const [change, { isLoading, error }] = useSetUserRolesMutation()

  const why = cleanText(reason)
  const same = roles.every((role) => chosen.has(role) === user.roles.includes(role))
  const own = auth.status === 'signed-in' && auth.user.id === user.id
  const resigning = own && user.roles.includes('admin') && !chosen.has('admin')

  const set = (role: Role, on: boolean) =>
    choose(roles.filter((other) => (other === role ? on : chosen.has(other))))

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (same || !why || isLoading) return
    try {
      const unknown = user.roles.filter((role) => !roles.includes(role))
      const wanted = [...roles.filter((role) => chosen.has(role)), ...unknown]
      const { message } = await change({
        userId: user.id,
        roles: wanted,
        seenRoles: isConflict(error) ? user.roles : begun,
        reason: why,
      }).unwrap()
      toastSuccess(message || 'Roles changed')
      setOpen(false)
    } catch {
      // The dialog shows why.
    }
  }

  return (
    <Dialog
      open={open}
      title="Change roles"
      description={<bdi dir="ltr">{user.email}</bdi>}
      onClose={() => {
        forget()
        onClose()
      }}
    >
      <DialogForm name="set_user_roles" onSubmit={(event) => void submit(event)}>
        <Flex as="fieldset" direction="column" gap="3" border="none" m={0} p={0}>
          <legend className="visually-hidden">Roles</legend>
          {roles.map((role) => (
            <RoleChoice
              key={role}
              role={role}
              on={chosen.has(role)}
              fixed={role === 'user'}
              waiting={isLoading}
              onChange={(on) => set(role, on)}
            />
          ))}
        </Flex>
        <ReasonField value={reason} waiting={isLoading} onType={explain} />
        <Box aria-live="polite" fontSize="sm" color="caution">
          {resigning && (
            <Text mt="4">
              This is your own account: without the admin role you lose access to these tools.
            </Text>
          )}
        </Box>
        {error && (
          <Box mt="4">
            <Alert>{problemText(error, 'Failed to change roles')}</Alert>
          </Box>
        )}
        <Flex wrap="wrap-reverse" justify="flex-end" gap="3" mt="6">
          <Button
            variant="secondary"
            aria-disabled={isLoading}
            data-event="cancel"
            onClick={() => setOpen(false)}
          >
            Cancel
          </Button>
          <Button type="submit" disabled={same || !why} pending={isLoading} data-event="save_roles">
            {isLoading ? 'Saving...' : 'Save roles'}
          </Button>
        </Flex>
      </DialogForm>
    </Dialog>
  )
}

/** The choice and the reason. */
function useRolesDraft(user: AdminUser) {
  const [draft, setDraft] = useStaffForm(`roles:${user.id}`, { choice: '', reason: '' })
  const held = draft.choice ? draft.choice.split(' ') : user.roles
  return {
    chosen: new Set<Role>(roles.filter((role) => role === 'user' || held.includes(role))),
    choose: (chosen: readonly Role[]) => setDraft({ ...draft, choice: chosen.join(' ') }),
    reason: draft.reason,
    explain: (reason: string) => setDraft({ ...draft, reason }),
    forget: () => setDraft(null),
  }
}

interface RoleChoiceProps {
  role: Role
  on: boolean
  /** Everybody has it. */
  fixed: boolean
  /** A change is under way. */
  waiting: boolean
  onChange: (on: boolean) => void
}

function RoleChoice({ role, on, fixed, waiting, onChange }: RoleChoiceProps) {
  const id = useId()
  return (
    <Flex gap="3" align="flex-start">
      <Checkbox
        id={id}
        aria-describedby={`${id}-meaning`}
        checked={on}
        disabled={fixed}
        aria-disabled={waiting || undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <Box minW={0} overflowWrap="anywhere">
        <chakra.label htmlFor={id} display="block" fontWeight={600} lineHeight="1.75rem">
          {titled(role)}
        </chakra.label>
        <Text id={`${id}-meaning`} color="muted" fontSize="sm">
          {meanings[role]}
        </Text>
      </Box>
    </Flex>
  )
}
