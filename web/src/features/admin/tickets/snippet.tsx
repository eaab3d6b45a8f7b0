import { chakra, Text } from '@chakra-ui/react'

interface SnippetProps {
  text: string
  search: string
}

/** Where a search has found what only the messages have. The words are marked if they stand there as they were typed. */
export function Snippet({ text, search }: SnippetProps) {
  const at = placeOf(search, text)
  const end = at + search.length
  return (
    <Text fontSize="sm" mt="1" lineClamp={2} overflowWrap="anywhere">
      <chakra.span color="quiet">Found: </chakra.span>
      <bdi>
        {at < 0 ? (
          text
        ) : (
          <>
            {text.slice(0, at)}
            <chakra.mark bg="ember-wash" color="inherit" fontWeight={600}>
              {text.slice(at, end)}
            </chakra.mark>
            {text.slice(end)}
          </>
        )}
      </bdi>
    </Text>
  )
}

/** Where the words begin in the text, in whatever case; -1 also where letters are of another length in lower case. */
function placeOf(search: string, text: string): number {
  const [words, lower] = [search.toLowerCase(), text.toLowerCase()]
  if (words.length !== search.length || lower.length !== text.length) return -1
  return words === '' ? -1 : lower.indexOf(words)
}
