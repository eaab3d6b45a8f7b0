import { type FormEvent, useState } from 'react'
import { Alert } from '@/components/app/alert'
import confirm from '@/components/app/confirm-dialog.module.css'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { Button } from '@/components/button'
import { paths } from '@/config/paths'
import { problemText } from '@/lib/api/problem'
import { useVerifySecondFactorMutation } from '@/lib/api/second-factor-api'
import { CodeField } from './code-field'
import styles from './second-factor.module.css'

interface CodeDialogProps {
  description: string
  onVerified: () => void
  onClose: () => void
}

/** Asks for a code of the authenticator app, or a recovery code, which this browser's session needs. */
export function CodeDialog({ description, onVerified, onClose }: CodeDialogProps) {
  const [verify, { isLoading, error }] = useVerifySecondFactorMutation()
  const [code, setCode] = useState('')
  const typed = code.trim()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!typed || isLoading) return
    const { error: refused } = await verify(typed)
    if (!refused) onVerified()
  }

  return (
    <Dialog
      open
      size="slim"
      title="Enter your code"
      description={description}
      busy={isLoading}
      onClose={onClose}
    >
      <DialogBody>
        <form
          name="verify_second_factor"
          className={styles.form}
          onSubmit={(event) => void submit(event)}
          noValidate
        >
          <CodeField
            label="Code of your authenticator app, or a recovery code"
            value={code}
            waiting={isLoading}
            onType={setCode}
          />
          <p className={styles.aside}>
            No app yet? <a href={paths.secondFactor}>Set it up in your profile</a>. You have lost it
            and your recovery codes? Another admin can reset it.
          </p>
          {error && <Alert problem="verify_second_factor_failed">{problemText(error)}</Alert>}
          <div className={confirm.actions}>
            <Button
              variant="secondary"
              aria-disabled={isLoading}
              data-event="cancel"
              onClick={onClose}
            >
              Not now
            </Button>
            <Button
              type="submit"
              disabled={!typed}
              pending={isLoading}
              data-event="verify_second_factor"
            >
              Continue
            </Button>
          </div>
        </form>
      </DialogBody>
    </Dialog>
  )
}
