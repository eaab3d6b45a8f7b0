import { chakra } from '@chakra-ui/react'

/** Several lines of text, in the form of the other fields. */
export const Textarea = chakra('textarea', {
  base: {
    display: 'block',
    width: '100%',
    px: '3',
    py: '2',
    bg: 'raised',
    color: 'ink',
    border: '1px solid {colors.line-strong}',
    borderRadius: 'md',
    fontSize: 'sm',
    lineHeight: 1.5,
    resize: 'vertical',
    _placeholder: { color: 'quiet', opacity: 1 },
    _hover: { borderColor: 'quiet' },
    _disabled: { opacity: 0.6, cursor: 'not-allowed' },
  },
})
