import { Button, Flex, Input } from '@chakra-ui/react'
import { type FormEvent, useState } from 'react'
import { toastError, toastSuccess } from '@/components/app/toast'
import { NETWORK_ERROR, SOMETHING_WRONG } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { useAddWaitlistUserMutation } from '@/lib/api/waitlist-api'

/** Adds an address by hand. The server judges its form; here it must only not be empty. */
export function AddForm() {
  const [email, setEmail] = useState('')
  const [add, { isLoading }] = useAddWaitlistUserMutation()
  const address = email.trim()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!address || isLoading) return
    try {
      await add(address).unwrap()
      setEmail('')
      toastSuccess('User added to waitlist successfully')
    } catch (error) {
      toastError(problemText(error, SOMETHING_WRONG, NETWORK_ERROR))
    }
  }

  return (
    <Flex asChild gap="3" maxW="34rem">
      <form name="add_waitlist_user" onSubmit={(event) => void submit(event)} noValidate>
        <Input
          type="email"
          aria-label="Email to add"
          placeholder="Add an email address..."
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Button type="submit" minW="7rem" disabled={!address || isLoading}>
          {isLoading ? 'Adding...' : 'Add'}
        </Button>
      </form>
    </Flex>
  )
}
