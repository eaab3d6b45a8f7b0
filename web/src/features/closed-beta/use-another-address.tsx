import { useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Button } from '@/components/button'
import { useSession } from '@/features/session/session-provider'

/** Signs the person out, to sign in with another address. `onLeave` is called before. */
export function UseAnotherAddress({ onLeave }: { onLeave: () => void }) {
  const session = useSession()
  const [leaving, setLeaving] = useState(false)
  const [failed, setFailed] = useState(false)

  const signOut = async () => {
    setLeaving(true)
    setFailed(false)
    onLeave()
    try {
      await session.signOut()
    } catch (error) {
      console.error('Sign-out failed', error)
      setFailed(true)
      setLeaving(false)
    }
  }

  return (
    <>
      {failed && <Alert>Sign-out didn&apos;t work. Please try again.</Alert>}
      <Button
        variant="secondary"
        pending={leaving}
        data-event="use_another_address"
        onClick={() => void signOut()}
      >
        {leaving ? 'Signing out...' : 'Use another address'}
      </Button>
    </>
  )
}
