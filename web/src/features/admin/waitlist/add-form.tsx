import { type FormEvent, useRef, useState } from 'react'
import { Input } from '@/components/app/field'
import { toastError, toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import {
  useAddWaitlistUserMutation,
  useFindWaitlistUsersMutation,
  type WaitlistFilter,
} from '@/lib/api/waitlist-api'
import { storedAddress, visibleAddress } from '@/lib/email-address'
import { spaced } from '@/lib/words'
import { useStaffDraft } from '../use-staff-draft'
import styles from './waitlist-view.module.css'

/**
 * Adds an address by hand. The server validates it; here it must only not be empty. The server's response is the same
 * for an address that is listed already, so that is looked up first.
 */
export function AddForm({ shown }: { shown: WaitlistFilter }) {
  const field = useRef<HTMLInputElement>(null)
  const [email, setEmail] = useStaffDraft('waitlist-address')
  const [adding, setAdding] = useState(false)
  const [find] = useFindWaitlistUsersMutation()
  const [add] = useAddWaitlistUserMutation()
  const address = email.trim()

  /** The status of the address; null if it is not on the list, or the look-up failed. */
  const listedAs = async (): Promise<string | null> => {
    const search = storedAddress(address)
    let cursor: string | null | undefined
    do {
      const { data }: Awaited<ReturnType<typeof find>> = await find({
        search,
        ...(cursor && { cursor }),
      })
      const entry = data?.data.find(({ email }) => email === search)
      // One that was rejected becomes pending again.
      if (entry) return entry.status === 'rejected' ? null : entry.status
      // The search finds longer addresses, too.
      cursor = data?.nextCursor
    } while (cursor)
    return null
  }

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!address || adding) return
    setAdding(true)
    try {
      const status = await listedAs()
      if (status) {
        toastError('Already on the waitlist', `This address is ${spaced(status)}.`)
      } else {
        await add({ email: address, shown }).unwrap()
        setEmail('')
        // Emptied, it disables the button; the next address is typed here.
        field.current?.focus()
        toastSuccess('User added to waitlist successfully')
      }
    } catch (error) {
      toastError(problemText(error))
    }
    setAdding(false)
  }

  return (
    <form
      name="add_waitlist_user"
      className={styles.form}
      onSubmit={(event) => void submit(event)}
      noValidate
    >
      <Input
        ref={field}
        type="email"
        aria-label="Email to add"
        placeholder="Add an email address..."
        autoComplete="off"
        readOnly={adding}
        value={email}
        onChange={(event) => setEmail(visibleAddress(event.target.value))}
      />
      <Button
        type="submit"
        className={styles.submit}
        disabled={!address}
        pending={adding}
        data-event="add_waitlist_user"
      >
        {adding ? 'Adding...' : 'Add'}
      </Button>
    </form>
  )
}
