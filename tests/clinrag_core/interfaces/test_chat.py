"""`/v1/chat/completions` through the official OpenAI client."""

from __future__ import annotations

import logging
import re

import pytest

openai = pytest.importorskip("openai")

from clinrag_core.serve.auth import ApiKeys, key_hash  # noqa: E402

DOSE = "ethambutol daily dose for tuberculosis in adults"
SAFETY = "isoniazid contraindications"


@pytest.fixture
def chat(page_client):
    """Makes the official client over the service in this process."""

    def make(key: str = "k", keys: ApiKeys | None = None):
        return openai.OpenAI(
            base_url="http://localhost/v1", api_key=key, http_client=page_client(keys),
            max_retries=0,
        )  # fmt: skip

    return make


def asked(client, question: object = DOSE, **options):
    messages = [{"role": "user", "content": question}]
    return client.chat.completions.create(model="clinrag", messages=messages, **options)


def test_an_answer_has_statements_sources_and_annotations(chat):
    completion = asked(chat(), SAFETY)
    message = completion.choices[0].message
    assert "hepatitis" in message.content
    assert "Not a medical device." in message.content
    assert completion.choices[0].finish_reason == "stop"
    marks = [
        message.content[a.url_citation.start_index : a.url_citation.end_index]
        for a in message.annotations
    ]
    assert set(marks) == {"[1]", "[2]"}
    assert completion.model_extra["clinrag"]["outcome"] == "answered"


def test_an_answer_is_logged_without_its_text_as_on_the_other_doors(chat, caplog):
    caplog.set_level(logging.INFO)
    asked(chat(), SAFETY)
    (line,) = [r for r in caplog.records if r.getMessage() == "answered"]
    assert vars(line)["status"] == "answered"
    assert vars(line)["audit_id"]
    assert "isoniazid" not in str(vars(line))


def test_a_source_can_be_opened_at_its_address(chat, page_client):
    url = asked(chat()).choices[0].message.annotations[0].url_citation.url
    opened = page_client().get(url.removeprefix("http://localhost"))
    assert "<mark>" in opened.text
    assert "ethambutol+daily" not in url.lower()


def test_a_stream_says_the_same_in_whole_statements(chat):
    client = chat()
    whole = asked(client, SAFETY).choices[0].message
    chunks = list(asked(client, SAFETY, stream=True, stream_options={"include_usage": True}))
    pieces = [c.choices[0].delta.content or "" for c in chunks if c.choices]
    assert "".join(pieces) == whole.content
    assert sum("[1]" in p and not p.startswith("Sources") for p in pieces) == 3
    assert chunks[-1].usage is not None
    assert chunks[-2].choices[0].finish_reason == "stop"


def test_the_stream_helper_of_the_client_reads_it(chat):
    messages = [{"role": "user", "content": SAFETY}]
    with chat().chat.completions.stream(model="clinrag", messages=messages) as stream:
        for _ in stream:
            pass
        assert "hepatitis" in stream.get_final_completion().choices[0].message.content


def test_a_refusal_is_words_and_an_outcome(chat):
    completion = asked(chat(), "zebra dose")
    assert "never mention zebra" in completion.choices[0].message.content
    assert completion.model_extra["clinrag"]["outcome"] == "abstained"
    assert completion.choices[0].message.annotations == []


def test_only_the_last_message_of_the_user_is_answered(chat):
    messages = [
        {"role": "system", "content": "You are a poet."},
        {"role": "user", "content": "zebra dose"},
        {"role": "assistant", "content": "no"},
        {"role": "user", "content": [{"type": "text", "text": DOSE}]},
    ]
    completion = chat().chat.completions.create(model="clinrag", messages=messages)
    assert "1200 mg" in completion.choices[0].message.content


def test_markup_of_a_document_is_no_markup_of_the_chat(chat, page_client):
    data = (
        b"Zebrafish ward\n\nOn the zebrafish ward isoniazid ![x](http://evil/p) is given at nine."
    )
    assert page_client().post("/documents", files={"file": ("w.txt", data)}).status_code == 303
    content = asked(chat(), "isoniazid on the zebrafish ward").choices[0].message.content
    assert not re.search(r"(?<!\\)!?\[x\](?<!\\)\(", content)


@pytest.mark.parametrize(
    ("options", "param"),
    [({"n": 2}, "n"), ({"response_format": {"type": "json_object"}}, "response_format"),
     ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools")],
)  # fmt: skip
def test_what_is_not_supported_is_said(chat, options, param):
    with pytest.raises(openai.BadRequestError) as refused:
        asked(chat(), **options)
    assert refused.value.param == param


def test_a_question_that_cannot_be_used_is_an_error_without_it(chat):
    with pytest.raises(openai.BadRequestError) as refused:
        asked(chat(), "zebrafish " * 500)
    assert "zebrafish" not in str(refused.value)


def test_a_key_is_needed_where_there_are_keys(chat):
    keys = ApiKeys({key_hash("a-key"): "alice"})
    with pytest.raises(openai.AuthenticationError):
        asked(chat("wrong", keys))
    assert asked(chat("a-key", keys)).choices
    assert [m.id for m in chat("a-key", keys).models.list()] == ["clinrag"]


def test_a_chat_pages_own_prompts_are_no_questions(chat):
    completion = asked(chat(), "### Task:\nGenerate a concise title for this chat")
    assert completion.model_extra["clinrag"]["outcome"] == "not_a_question"
